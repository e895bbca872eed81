#include "base/numbers.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace gapless::base {
namespace {

template <class Raw>
std::shared_ptr<const void> narrowed(std::span<const std::int64_t> values) {
  std::shared_ptr<Raw[]> storage(new Raw[values.size()]);
  Raw* __restrict__ to = storage.get();
  for (std::size_t i = 0; i < values.size(); ++i) to[i] = static_cast<Raw>(values[i]);
  return storage;
}

template <class Raw>
bool holds(std::int64_t low, std::int64_t high) {
  return low >= std::numeric_limits<Raw>::min() && high <= std::numeric_limits<Raw>::max();
}

}  // namespace

Numbers::Numbers(std::span<const std::int64_t> values, int narrowest) : size_(values.size()) {
  if (values.empty()) return;
  std::int64_t low = values[0], high = values[0];
  for (const std::int64_t value : values) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (narrowest <= 1 && holds<std::int8_t>(low, high)) {
    width_ = 1;
    storage_ = narrowed<std::int8_t>(values);
  } else if (narrowest <= 2 && holds<std::int16_t>(low, high)) {
    width_ = 2;
    storage_ = narrowed<std::int16_t>(values);
  } else if (narrowest <= 4 && holds<std::int32_t>(low, high)) {
    width_ = 4;
    storage_ = narrowed<std::int32_t>(values);
  } else {
    storage_ = narrowed<std::int64_t>(values);
  }
}

Numbers Numbers::scaled(std::int64_t factor, std::int64_t plus) const {
  Numbers view = *this;
  view.scale_ *= factor;
  view.shift_ = view.shift_ * factor + plus;
  return view;
}

std::vector<std::int64_t> Numbers::to_vector() const {
  return {begin(), end()};
}

bool operator==(const Numbers& a, const Numbers& b) noexcept {
  if (a.size_ != b.size_) return false;
  if (a.size_ == 0) return true;
  if (a.width_ == b.width_ && a.scale_ == b.scale_ && a.shift_ == b.shift_)
    return a.storage_ == b.storage_ ||
           std::memcmp(a.data(), b.data(), a.size_ * static_cast<std::size_t>(a.width_)) == 0;
  return std::equal(a.begin(), a.end(), b.begin());
}

}  // namespace gapless::base

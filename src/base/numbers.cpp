#include "base/numbers.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace gapless::base {
namespace {

// Long lists go to huge pages where the system has them: handing out small ones one by one would take longer than all
// else that is done to a list.
std::shared_ptr<void> storage_of(std::size_t bytes) {
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  void* storage = bytes < kHugePage ? std::malloc(bytes) : std::aligned_alloc(kHugePage, bytes);
  if (storage == nullptr) throw std::bad_alloc();
#ifdef __linux__
  if (bytes >= kHugePage) (void)madvise(storage, bytes, MADV_HUGEPAGE);
#endif
  return {storage, std::free};
}

template <class Raw>
std::shared_ptr<const void> narrowed(std::span<const std::int64_t> values) {
  std::shared_ptr<void> storage = storage_of(values.size() * sizeof(Raw));
  Raw* __restrict__ to = static_cast<Raw*>(storage.get());
  for (std::size_t i = 0; i < values.size(); ++i) to[i] = static_cast<Raw>(values[i]);
  return storage;
}

template <class Raw>
bool holds(std::int64_t low, std::int64_t high) {
  return low >= std::numeric_limits<Raw>::min() && high <= std::numeric_limits<Raw>::max();
}

}  // namespace

NumberRange range_of(std::span<const std::int64_t> values) noexcept {
  if (values.empty()) return {};
  NumberRange range{values[0], values[0]};
  for (const std::int64_t value : values) {
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  return range;
}

Numbers::Numbers(std::span<const std::int64_t> values, int narrowest)
    : Numbers(values, narrowest, range_of(values)) {}

Numbers::Numbers(std::span<const std::int64_t> values, int narrowest, NumberRange range) : size_(values.size()) {
  const auto [low, high] = range;
  if (values.empty()) return;
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

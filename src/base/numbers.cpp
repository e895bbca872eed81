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

// Put long lists on huge pages if the system has them: page faults on small pages would take longer than everything
// else that is done to a list.
std::shared_ptr<void> storage_of(std::size_t bytes) {
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  void* storage = nullptr;
  if (bytes < kHugePage)
    storage = std::malloc(bytes);
  else if (posix_memalign(&storage, kHugePage, bytes) != 0)  // any size, unlike aligned_alloc
    storage = nullptr;
  if (storage == nullptr) throw std::bad_alloc();
#ifdef __linux__
  if (bytes >= kHugePage) (void)madvise(storage, bytes, MADV_HUGEPAGE);
#endif
  return {storage, std::free};
}

template <class Raw>
bool holds(NumberRange range) {
  return range.low >= std::numeric_limits<Raw>::min() && range.high <= std::numeric_limits<Raw>::max();
}

// The values as Raw and their range if Raw holds them all; otherwise null, with the range of those examined. Piece by
// piece, so that each is still in the first-level cache when it is read again.
template <class Raw>
std::shared_ptr<const void> narrowed(std::span<const std::int64_t> values, NumberRange& range) {
  constexpr std::size_t kPiece = 2048;
  std::shared_ptr<void> storage = storage_of(values.size() * sizeof(Raw));
  Raw* __restrict__ to = static_cast<Raw*>(storage.get());
  for (std::size_t from = 0; from < values.size(); from += kPiece) {
    const std::span piece = values.subspan(from, std::min(kPiece, values.size() - from));
    const NumberRange of = range_of(piece);
    range = {std::min(range.low, of.low), std::max(range.high, of.high)};
    if (!holds<Raw>(range)) return nullptr;
    for (std::size_t i = 0; i < piece.size(); ++i) to[from + i] = static_cast<Raw>(piece[i]);
  }
  return storage;
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

Numbers::Numbers(std::span<const std::int64_t> values, int narrowest, NumberRange* range_found) : size_(values.size()) {
  if (values.empty()) return;
  NumberRange range{values[0], values[0]};
  const auto try_width = [&]<class Raw>(Raw) {
    if (storage_ != nullptr || narrowest > static_cast<int>(sizeof(Raw)) || !holds<Raw>(range)) return;
    storage_ = narrowed<Raw>(values, range);
    width_ = sizeof(Raw);
  };
  try_width(std::int8_t{});
  try_width(std::int16_t{});
  try_width(std::int32_t{});
  try_width(std::int64_t{});
  if (range_found != nullptr) *range_found = range;
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

#include "move/overlap.hpp"

#include <algorithm>

namespace gapless::move {
namespace {

// Any address plus any displacement of any element: no sum of them wraps.
__extension__ typedef __int128 Wide;

Wide address_of(const void* pointer) noexcept {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

}  // namespace

bool overlap_wide(const plan::Plan& plan, std::int64_t count, const void* buffer, const void* packed,
                  std::int64_t bytes) noexcept {
  const Wide first = address_of(buffer), last = first + Wide{count - 1} * plan.extent();
  const Wide low = std::min(first, last) + plan.low(), high = std::max(first, last) + plan.high();
  const Wide from = address_of(packed);
  return from < high && low < from + bytes;
}

}  // namespace gapless::move

#include "move/overlap.hpp"

#include <algorithm>

namespace gapless::move {
namespace {

// Any address plus any displacement of any element: no sum of them wraps.
__extension__ typedef __int128 Wide;

Wide address_of(const void* pointer) noexcept {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

struct Reach {
  Wide low, high;
};
Reach reach_of(const plan::Plan& plan, std::int64_t count, const void* buffer) noexcept {
  const Wide first = address_of(buffer), last = first + Wide{count - 1} * plan.extent();
  return {std::min(first, last) + plan.low(), std::max(first, last) + plan.high()};
}

bool meet(const Reach& a, const Reach& b) noexcept {
  return a.low < b.high && b.low < a.high;
}

}  // namespace

bool overlap_wide(const plan::Plan& plan, std::int64_t count, const void* buffer, const void* packed,
                  std::int64_t bytes) noexcept {
  const Wide from = address_of(packed);
  return meet(reach_of(plan, count, buffer), {from, from + bytes});
}

bool overlap(const plan::Message& a, const void* at_a, const plan::Message& b, const void* at_b) noexcept {
  return meet(reach_of(a.plan, a.count, at_a), reach_of(b.plan, b.count, at_b));
}

}  // namespace gapless::move

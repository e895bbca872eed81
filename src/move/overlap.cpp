#include "move/overlap.hpp"

#include <algorithm>

#include "plan/step.hpp"

namespace gapless::move {
namespace {

using plan::Op;
using plan::Step;

// Any address plus any displacement of any element: no sum of them wraps.
__extension__ typedef __int128 Wide;

Wide address_of(const void* pointer) noexcept {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

// Memory [low, high).
struct AddressRange {
  Wide low, high;
};
AddressRange address_range_of(const plan::Plan& plan, std::int64_t count, const void* buffer) noexcept {
  const Wide first = address_of(buffer), last = first + Wide{count - 1} * plan.extent();
  return {std::min(first, last) + plan.low(), std::max(first, last) + plan.high()};
}

bool meet(const AddressRange& a, const AddressRange& b) noexcept {
  return a.low < b.high && b.low < a.high;
}

// Rounded towards minus infinity; b > 0.
Wide floor_divided(Wide a, Wide b) noexcept {
  return a / b - (a % b < 0 ? 1 : 0);
}

// The search for a byte of a message in `memory_`. A step whose range lies in it ends the search, a step whose range
// does not meet it is skipped, so of regular copies only those at its two ends are entered, unless they interleave. An
// ascending list takes a binary search, any other is read once. Beyond the step limit, the result is that they meet.
class Search {
 public:
  Search(const AddressRange& memory, std::int64_t max_steps) noexcept : memory_(memory), steps_left_(max_steps) {}

  bool finds(const plan::Plan& plan, std::int64_t count, const void* buffer) noexcept {
    const Step& root = plan.root();
    const Wide at = address_of(buffer) + plan.first_byte();
    return in_copies(at, count, plan.extent(), {root.low, root.high}, [&](Wide element) { return in(root, element); });
  }

 private:
  enum class Overlap { kNone, kInside, kPartial };
  Overlap compare(const AddressRange& reach) const noexcept {
    if (!meet(reach, memory_)) return Overlap::kNone;
    return reach.low >= memory_.low && reach.high <= memory_.high ? Overlap::kInside : Overlap::kPartial;
  }

  // `count` copies, `stride` apart, each of which reaches over `each` from its own origin; part(origin) looks into one.
  template <class Part>
  bool in_copies(Wide at, std::int64_t count, Wide stride, const AddressRange& each, Part part) noexcept {
    if (stride < 0) {
      at += (count - 1) * stride;
      stride = -stride;
    }
    if (count == 1 || stride == 0) return part(at);
    const Wide from = memory_.low - at, to = memory_.high - at;
    // Those that begin before the memory ends and end behind its beginning.
    const Wide first = std::max<Wide>(0, floor_divided(from - each.high, stride) + 1);
    const Wide last = std::min<Wide>(count - 1, floor_divided(to - each.low - 1, stride));
    // Those that lie in it.
    const Wide first_inside = std::max<Wide>(first, -floor_divided(each.low - from, stride));
    const Wide last_inside = std::min<Wide>(last, floor_divided(to - each.high, stride));
    if (first_inside <= last_inside) return true;
    for (Wide copy = first; copy <= last; ++copy) {
      if (part(at + copy * stride)) return true;
    }
    return false;
  }

  // The same of copies at listed places; range_of(i) is that of copy i.
  template <class RangeOf, class Part>
  bool in_list(const Step& step, Wide at, RangeOf range_of, Part part) noexcept {
    std::size_t first = 0;
    const std::size_t n = step.offsets.size();
    if (step.ascending) {
      for (std::size_t many = n; many > 0;) {
        const std::size_t half = many / 2;
        if (at + step.offsets[first + half] + range_of(first + half).high <= memory_.low) {
          first += half + 1;
          many -= half + 1;
        } else {
          many = half;
        }
      }
    }
    for (std::size_t i = first; i < n; ++i) {
      const Wide origin = at + step.offsets[i];
      const AddressRange its = range_of(i);
      if (step.ascending && origin + its.low >= memory_.high) return false;
      if (--steps_left_ < 0) return true;
      switch (compare({origin + its.low, origin + its.high})) {
        case Overlap::kNone:
          break;
        case Overlap::kInside:
          return true;
        case Overlap::kPartial:
          if (part(i, origin)) return true;
      }
    }
    return false;
  }

  bool in(const Step& step, Wide at) noexcept {
    if (--steps_left_ < 0) return true;
    switch (compare({at + step.low, at + step.high})) {
      case Overlap::kNone:
        return false;
      case Overlap::kInside:
        return true;
      case Overlap::kPartial:
        break;
    }
    switch (step.op) {
      case Op::kNest:
        return in_nest(step, at);
      case Op::kTable:
        return in_list(
            step, at, [&](std::size_t) { return AddressRange{0, step.block}; }, [](std::size_t, Wide) { return true; });
      case Op::kBlocks:
        return in_list(
            step, at, [&](std::size_t i) { return AddressRange{0, step.lengths[i]}; },
            [](std::size_t, Wide) { return true; });
      case Op::kLoop: {
        const Step& body = *step.steps[0];
        return in_copies(at, step.count, step.stride, {body.low, body.high}, [&](Wide copy) { return in(body, copy); });
      }
      case Op::kIndexed: {
        const Step& body = *step.steps[0];
        return in_list(
            step, at, [&](std::size_t) { return AddressRange{body.low, body.high}; },
            [&](std::size_t, Wide place) { return in(body, place); });
      }
      case Op::kSequence:
        return in_list(
            step, at, [&](std::size_t i) { return AddressRange{step.steps[i]->low, step.steps[i]->high}; },
            [&](std::size_t i, Wide place) { return in(*step.steps[i], place); });
    }
    return true;
  }

  bool in_nest(const Step& step, Wide at) noexcept {
    const Wide last = Wide{step.inner_count - 1} * step.inner_stride;
    const AddressRange row{std::min<Wide>(0, last), std::max<Wide>(0, last) + step.block};
    return in_copies(at, step.outer_count, step.outer_stride, row, [&](Wide first) {
      if (--steps_left_ < 0) return true;
      return in_copies(first, step.inner_count, step.inner_stride, {0, step.block},
                       [&](Wide block) { return meet({block, block + step.block}, memory_); });
    });
  }

  const AddressRange memory_;
  std::int64_t steps_left_;
};

}  // namespace

bool runs_overlap(const plan::Plan& plan, std::int64_t count, const void* buffer, const void* packed,
                  std::int64_t bytes) noexcept {
  const Wide from = address_of(packed);
  const AddressRange memory{from, from + bytes};
  if (!meet(address_range_of(plan, count, buffer), memory)) return false;
  if (plan.is_run(count)) return true;
  constexpr std::int64_t kFewSteps = 1 << 12;
  return Search(memory, kFewSteps + plan.run_count()).finds(plan, count, buffer);
}

bool overlap(const plan::Message& a, const void* at_a, const plan::Message& b, const void* at_b) noexcept {
  return meet(address_range_of(a.plan, a.count, at_a), address_range_of(b.plan, b.count, at_b));
}

}  // namespace gapless::move

#include "move/move.hpp"

#include <cstdint>
#include <cstdlib>

#include "move/overlap.hpp"
#include "move/range.hpp"

namespace gapless::move {
namespace {

// Whether another `count` copies follow the first ones at the same stride.
bool continues(std::int64_t extent, std::int64_t count, std::int64_t stride) noexcept {
  // The product is one stride more than the layout's constructors have checked.
  std::int64_t whole;
  return !__builtin_mul_overflow(count, stride, &whole) && whole == extent;
}

// (count, t) must run as (1, contiguous(count, t)) does. Where the message's loop continues the plan's own outermost
// loop the two are one, which is found in constant time; elsewhere it is one more loop.
template <class Direction>
void message(const plan::Plan& plan, std::int64_t from, std::int64_t to, typename Direction::User user,
             typename Direction::Packed packed) noexcept {
  const plan::Step& root = plan.root();
  const std::int64_t extent = plan.extent();
  if (plan.is_contiguous()) {
    Direction::bytes(user + from, packed, to - from);
  } else if (root.op == plan::Op::kNest && root.outer_count == 1 && root.inner_count > 1 &&
             continues(extent, root.inner_count, root.inner_stride)) {
    range_row<Direction>(root, from, to, user, packed);
  } else if (root.op == plan::Op::kNest && root.outer_count > 1 &&
             continues(extent, root.outer_count, root.outer_stride)) {
    // More rows than the plan proved apart: they stay apart if each lies behind the one before.
    const std::int64_t row = (root.inner_count - 1) * std::abs(root.inner_stride) + root.block;
    range_nest<Direction>(root, from, to, user, packed, root.disjoint && std::abs(root.outer_stride) >= row);
  } else if (root.op == plan::Op::kLoop && continues(extent, root.count, root.stride)) {
    range_loop<Direction>(*root.steps[0], root.stride, from, to, user, packed);
  } else {
    range_loop<Direction>(root, extent, from, to, user, packed);
  }
}

// A type may hold addresses and the buffer be null (MPI_BOTTOM), from which no pointer may be stepped.
template <class Pointer>
Pointer first_run(Pointer buffer, std::int64_t first_byte) noexcept {
  return reinterpret_cast<Pointer>(reinterpret_cast<std::uintptr_t>(buffer) + static_cast<std::uintptr_t>(first_byte));
}

template <class Direction>
std::int64_t run(const plan::Plan& plan, std::int64_t count, typename Direction::User buffer, std::int64_t position,
                 typename Direction::Packed packed, std::int64_t budget) noexcept {
  const std::int64_t moved = bytes_to_move(plan, count, position, budget);
  if (moved == 0) return 0;
  message<Direction>(plan, position, position + moved, first_run(buffer, plan.first_byte()), packed);
  return moved;
}

}  // namespace

std::int64_t pack(const plan::Plan& plan, std::int64_t count, const void* buffer, std::int64_t position, void* packed,
                  std::int64_t budget) noexcept {
  return run<Pack>(plan, count, static_cast<const char*>(buffer), position, static_cast<char*>(packed), budget);
}

std::int64_t unpack(const plan::Plan& plan, std::int64_t count, void* buffer, std::int64_t position, const void* packed,
                    std::int64_t budget) noexcept {
  return run<Unpack>(plan, count, static_cast<char*>(buffer), position, static_cast<const char*>(packed), budget);
}

}  // namespace gapless::move

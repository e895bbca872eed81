// Moves whole steps.
#pragma once

#include <cstdlib>

#include "move/direction.hpp"

namespace gapless::move {

template <class Direction>
void whole(const plan::Step& step, typename Direction::User user, typename Direction::Packed packed) noexcept;

// True if `rows` rows of a nest lie in each other's gaps without overlapping: then a line of user memory holds blocks
// of several rows, and only a transposition reads it once.
inline bool interleaves(const plan::Step& step, std::int64_t rows) noexcept {
  return step.transpose != nullptr && rows > 1 && step.inner_count > 1 &&
         rows <= std::abs(step.inner_stride) / step.block;
}

// Moves `rows` rows of a nest of two levels, more or fewer than the step has. `disjoint`: no two of them overlap.
template <class Direction>
void nest(const plan::Step& step, std::int64_t rows, typename Direction::User user, typename Direction::Packed packed,
          bool disjoint) noexcept {
  if (Direction::kNear && rows == 1 && step.inner_count == 1) {
    Direction::bytes(user, packed, step.block);
    return;
  }
  const kernel::Nest shape{step.block, step.inner_count, step.inner_stride, rows, step.outer_stride};
  if (interleaves(step, rows))
    Direction::transpose(*step.transpose, user, packed, shape);
  else if (rows > 1 && plan::repeats_pattern(step, rows, step.outer_stride) && Direction::any_order(disjoint))
    Direction::pattern(step.pattern->kernel(), user, packed, rows, step.outer_stride);
  else
    Direction::nest(*step.nest, user, packed, shape);
}

// Moves `count` copies of `body`, `stride` apart: the loops of the plan, and the count of the message.
template <class Direction>
void loop(const plan::Step& body, std::int64_t count, std::int64_t stride, typename Direction::User user,
          typename Direction::Packed packed) noexcept {
  if (count == 1) {  // the stride separates it from nothing, and may be anything
    whole<Direction>(body, user, packed);
    return;
  }
  if (body.outer_count == 1 && plan::repeats_pattern(body, count, stride) &&
      Direction::any_order(body.disjoint && std::abs(stride) >= body.high - body.low)) {
    Direction::pattern(body.pattern->kernel(), user, packed, count, stride);
    return;
  }
  if (body.op == plan::Op::kNest && body.outer_count == 1) {
    Direction::nest(*body.nest, user, packed, {body.block, body.inner_count, body.inner_stride, count, stride});
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) whole<Direction>(body, user + i * stride, packed + i * body.bytes);
}

template <class Direction>
void whole(const plan::Step& step, typename Direction::User user, typename Direction::Packed packed) noexcept {
  switch (step.op) {
    case plan::Op::kNest:
      nest<Direction>(step, step.outer_count, user, packed, step.disjoint);
      return;
    case plan::Op::kTable:
      Direction::listed(step, user, packed, 0, static_cast<std::int64_t>(step.offsets.size()));
      return;
    case plan::Op::kBlocks:
      Direction::runs(step, user, packed, 0, static_cast<std::int64_t>(step.offsets.size()));
      return;
    case plan::Op::kLoop:
      loop<Direction>(*step.steps[0], step.count, step.stride, user, packed);
      return;
    case plan::Op::kIndexed: {
      const plan::Step& body = *step.steps[0];
      for (const std::int64_t offset : step.offsets) {
        whole<Direction>(body, user + offset, packed);
        packed += body.bytes;
      }
      return;
    }
    case plan::Op::kSequence:
      for (std::size_t i = 0; i < step.steps.size(); ++i)
        whole<Direction>(*step.steps[i], user + step.offsets[i], packed + step.starts[i]);
      return;
  }
}

}  // namespace gapless::move

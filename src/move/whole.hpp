// Whole steps: every byte of them, from the first to the last.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "move/direction.hpp"

namespace gapless::move {

// User memory and packed bytes of one tile together stay well inside a first-level cache (32 KB and more today), so
// that the passes over a tile's rows find it there.
inline constexpr std::int64_t kTileBytes = 16384;
// Below this many repetitions a tile's passes cost more than they save.
inline constexpr std::int64_t kFewestTileRepetitions = 4;

template <class Direction>
void whole(const plan::Step& step, typename Direction::User user, typename Direction::Packed packed) noexcept;

// Repetitions of short rows, run along the longer of the two loops.
template <class Direction>
void tiled_rows(kernel::Strided copy, typename Direction::User user, typename Direction::Packed packed,
                Rows rows) noexcept {
  if (rows.inner_count < rows.outer_count) {
    std::swap(rows.inner_count, rows.outer_count);
    std::swap(rows.user_inner, rows.user_outer);
    std::swap(rows.packed_inner, rows.packed_outer);
  }
  Direction::rows(copy, user, packed, rows);
}

inline std::int64_t tile_repetitions(std::int64_t stride, std::int64_t bytes) noexcept {
  const std::int64_t each = std::abs(stride) + bytes;
  return std::max<std::int64_t>(1, kTileBytes / each);
}

// A nest of two levels. A short inner row is a kernel call for little; where order is free the loops are exchanged,
// tile by tile.
template <class Direction>
void nest(const plan::Step& step, std::int64_t outer_count, std::int64_t outer_stride, typename Direction::User user,
          typename Direction::Packed packed, bool disjoint) noexcept {
  const std::int64_t row = step.block * step.inner_count;
  Rows rows{step.block, step.inner_count, outer_count, step.inner_stride, outer_stride, step.block, row};
  const bool short_rows = step.inner_count < 16 && step.inner_count < outer_count;
  const std::int64_t tile = short_rows ? tile_repetitions(outer_stride, row) : 0;
  if (tile <= step.inner_count || !Direction::any_order(disjoint)) {
    Direction::rows(step.copy, user, packed, rows);
    return;
  }
  for (std::int64_t first = 0; first < outer_count; first += tile) {
    rows.outer_count = std::min(tile, outer_count - first);
    tiled_rows<Direction>(step.copy, user + first * outer_stride, packed + first * row, rows);
  }
}

// `count` copies of a tileable step: a pass a row, tile by tile.
template <class Direction>
void tiles(const plan::Step& body, std::int64_t count, std::int64_t stride, typename Direction::User user,
           typename Direction::Packed packed) noexcept {
  const std::int64_t tile = tile_repetitions(stride, body.bytes);
  for (std::int64_t first = 0; first < count; first += tile) {
    const std::int64_t repetitions = std::min(tile, count - first);
    const auto user_tile = user + first * stride;
    const auto packed_tile = packed + first * body.bytes;
    for (std::size_t i = 0; i < body.offsets.size(); ++i) {
      const bool listed = body.op == plan::Op::kTable;
      const plan::Step& row = listed ? body : *body.steps[i];
      const std::int64_t start = listed ? static_cast<std::int64_t>(i) * body.block : body.starts[i];
      const std::int64_t inner_count = listed ? 1 : row.inner_count;
      tiled_rows<Direction>(row.copy, user_tile + body.offsets[i], packed_tile + start,
                            {row.block, inner_count, repetitions, row.inner_stride, stride, row.block, body.bytes});
    }
  }
}

// `count` copies of `body`, `stride` apart: the loops of the plan, and the count of the message.
template <class Direction>
void loop(const plan::Step& body, std::int64_t count, std::int64_t stride, typename Direction::User user,
          typename Direction::Packed packed) noexcept {
  if (count == 1) {  // the stride separates it from nothing, and may be anything
    whole<Direction>(body, user, packed);
    return;
  }
  const std::int64_t span = body.high - body.low;
  const bool disjoint = body.disjoint && std::abs(stride) >= span;
  if (body.op == plan::Op::kNest && body.outer_count == 1) {
    nest<Direction>(body, count, stride, user, packed, disjoint);
    return;
  }
  if (body.tileable && count >= kFewestTileRepetitions && Direction::any_order(disjoint) &&
      tile_repetitions(stride, body.bytes) >= kFewestTileRepetitions) {
    tiles<Direction>(body, count, stride, user, packed);
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) whole<Direction>(body, user + i * stride, packed + i * body.bytes);
}

template <class Direction>
void whole(const plan::Step& step, typename Direction::User user, typename Direction::Packed packed) noexcept {
  switch (step.op) {
    case plan::Op::kNest:
      nest<Direction>(step, step.outer_count, step.outer_stride, user, packed, step.disjoint);
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
    case plan::Op::kPlaces: {
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

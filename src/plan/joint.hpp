// A copy from the runs of one message to those of another, planned for both sides at once. If both are loops of the
// same number of bytes, or of numbers that divide each other or have a small common multiple, they become one loop over
// both; runs that are longer than the other side's are cut; at the bottom is a list of moves, a matrix to transpose,
// two lists of offsets, one side's plan against a run of the other, or a strip that both sides' plans share if their
// kernels do better than moves from run to run (plan/cost).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "kernel/kernel.hpp"
#include "plan/plan.hpp"
#include "plan/run_pattern.hpp"
#include "plan/step.hpp"

namespace gapless::plan {

struct Joint {
  enum class Op {
    kBlock,     // a run on both sides
    kMoves,     // a pattern of runs, repeated in rows
    kSquare,    // a matrix, whose rows on one side are its columns on the other
    kPack,      // a run of the destination: the source's plan is packed into it
    kUnpack,    // a run of the source: it is unpacked by the destination's plan
    kStrips,    // what stays in the first-level cache, packed by one side's plan, unpacked by the other's; repeated
    kListed,    // blocks of one length, at listed offsets on one side or on both
    kLoop,      // steps, repeated
    kSequence,  // steps, one after the other
  };
  Op op = Op::kBlock;
  std::int64_t bytes = 0;                    // of data, all repetitions together
  std::int64_t source = 0, destination = 0;  // [bytes] from the origins of what it is a step of

  // moves, strips, loop: repetitions, and [bytes] from one to the next on either side
  std::int64_t count = 1, source_stride = 0, destination_stride = 0;

  // moves: rows of repetitions, and [bytes] from one to the next
  std::int64_t rows = 1, source_row = 0, destination_row = 0;
  std::shared_ptr<const RunPattern> pattern;  // its user is the source, its packed side the destination

  // square: `rows` of the destination, [bytes] apart as its stride says; its columns are rows of the source
  std::int64_t columns = 0;
  const kernel::SquareKernel* square = nullptr;

  std::shared_ptr<const Step> side;  // pack, unpack; strips: the source's
  std::shared_ptr<const Step> into;  // strips: the destination's

  bool far = false;       // pack, unpack, strips (what they are unpacked into), listed: beyond the caches
  bool from_far = false;  // strips: what is packed into them is

  // listed: `count` blocks, the offsets of either side as the kernel reads them
  std::int64_t block = 0;
  kernel::BlockOffsets from{}, to{};
  const kernel::PairedKernel* paired = nullptr;
  base::Numbers from_list, to_list;  // own what from and to point to

  std::vector<Joint> steps;
  std::vector<std::int64_t> starts;  // [bytes] of data before each of them, in a loop those of one repetition
};

// The size of a strip, and of one from more pages than the processor knows [bytes].
inline constexpr std::int64_t kStripBytes = 8192, kLongStripBytes = 16384;

// A run of this length or more on one side is worth a call of the other side's kernels [bytes].
inline constexpr std::int64_t kLongRun = 2048;

// The number of repetitions, with the given strides [bytes], that several passes visit while they are in the
// first-level cache. 1 if they are mostly gaps: then going back would defeat the hardware prefetcher.
inline std::int64_t tile_of(std::int64_t source_stride, std::int64_t destination_stride, std::int64_t bytes) noexcept {
  constexpr std::int64_t kTileBytes = 8192, kSparse = 4;
  const std::int64_t source = std::abs(source_stride), destination = std::abs(destination_stride);
  return std::max(source, destination) / kSparse >= bytes ? 1 : kTileBytes / (source + destination + 1) + 1;
}

// The number of repetitions of a loop in one tile.
inline std::int64_t tile_of(const Joint& loop) noexcept {
  return tile_of(loop.source_stride, loop.destination_stride, loop.bytes / loop.count);
}
inline std::int64_t tiles_of(const Joint& loop) noexcept {
  return loop.count / tile_of(loop) + 1;
}

// True for moves that can be made for many repetitions of a loop at a time.
inline bool is_row(const Joint& step) noexcept {
  return step.op == Joint::Op::kMoves && step.rows == 1;
}

// Plans the copy. Null if no short program fits both, or if that program would write in another order than a
// destination that may overlap itself allows: then the messages are walked in strips (move/copy.cpp). Both have the
// same size [bytes] and are not empty. Cost: at most linear in the two forms; the search is bounded.
std::unique_ptr<const Joint> join(const Message& source, const Message& destination);

}  // namespace gapless::plan

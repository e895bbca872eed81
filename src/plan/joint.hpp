// A copy from the runs of one message to those of another, planned for both sides at once. Where both are loops of the
// same number of bytes, or of numbers that divide each other or have a small common multiple, the loops become one that
// walks both; runs that are shorter than the other side's are cut; what is left at the bottom is a list of moves, a
// matrix to transpose, two lists of places, one side's plan against a run of the other, or a strip that both sides'
// plans share where their kernels do better than moves from run to run (plan/cost).
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
    kSquare,    // a matrix, whose rows are at the one side what its columns are at the other
    kPack,      // a run of the destination: the source's plan is packed into it
    kUnpack,    // a run of the source: it is unpacked by the destination's plan
    kStrips,    // as many bytes as stay in the first cache packed by the one side, unpacked by the other; repeated
    kListed,    // blocks of one length, at listed places on one side or on both
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

  // listed: `count` blocks, the places of either side as the kernel reads them
  std::int64_t block = 0;
  kernel::Places from{}, to{};
  bool spread = false;
  const kernel::PairedKernel* paired = nullptr;
  base::Numbers from_list, to_list;  // own what from and to point to

  std::vector<Joint> steps;
  std::vector<std::int64_t> starts;  // [bytes] of data before each of them, in a loop those of one repetition
};

// The most that a strip holds [bytes].
inline constexpr std::int64_t kStripBytes = 8192;

// From here on a run of the one side is worth a call of the other side's kernels [bytes].
inline constexpr std::int64_t kLongRun = 2048;

// As many repetitions, so far apart [bytes], as are passed over more than once while they are in the first cache. One,
// if most of what lies between them are gaps: then to go back would lose the processor's reading ahead.
inline std::int64_t tile_of(std::int64_t source_stride, std::int64_t destination_stride, std::int64_t bytes) noexcept {
  constexpr std::int64_t kTileBytes = 8192, kSparse = 4;
  const std::int64_t source = std::abs(source_stride), destination = std::abs(destination_stride);
  return std::max(source, destination) / kSparse >= bytes ? 1 : kTileBytes / (source + destination + 1) + 1;
}

// How many repetitions of a loop are passed over together.
inline std::int64_t tile_of(const Joint& loop) noexcept {
  return tile_of(loop.source_stride, loop.destination_stride, loop.bytes / loop.count);
}
inline std::int64_t tiles_of(const Joint& loop) noexcept {
  return loop.count / tile_of(loop) + 1;
}

// Moves that can be made for many repetitions of a loop at a time.
inline bool is_row(const Joint& step) noexcept {
  return step.op == Joint::Op::kMoves && step.rows == 1;
}

// Null where the two do not fit each other in a short program, or where that would write in another order than a
// destination allows that may overlap itself: then they are walked in strips (move/copy.cpp). Both are of the same size
// [bytes], neither is empty. Cost: at most linear in the two forms, and in the search bounded.
std::unique_ptr<const Joint> join(const Message& source, const Message& destination);

}  // namespace gapless::plan

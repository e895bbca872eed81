// A copy from the runs of one message to those of another, planned for both sides at once. Where both are loops of the
// same number of bytes, or of numbers that divide each other or have a small common multiple, the loops become one that
// walks both; runs that are shorter than the other side's are cut; what is left at the bottom is a list of moves, a
// matrix to transpose, two lists of places, or one side's plan against a run of the other.
#pragma once

#include <cstdint>
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
    kMoves,     // a pattern of runs, repeated
    kSquare,    // a matrix, whose rows are at the one side what its columns are at the other
    kPack,      // a run of the destination: the source's plan is packed into it
    kUnpack,    // a run of the source: it is unpacked by the destination's plan
    kListed,    // blocks of one length, at listed places on one side or on both
    kLoop,      // steps[0], repeated
    kSequence,  // steps, one after the other
  };
  Op op = Op::kBlock;
  std::int64_t bytes = 0;                    // of data, all repetitions together
  std::int64_t source = 0, destination = 0;  // [bytes] from the origins of what it is a step of

  // moves, loop: repetitions, and [bytes] from one to the next on either side
  std::int64_t count = 1, source_stride = 0, destination_stride = 0;
  std::shared_ptr<const RunPattern> pattern;  // moves: its user is the source, its packed side the destination

  // square: [bytes] between the rows of the source, which are columns of the destination, and between those of the
  // destination
  std::int64_t rows = 0, columns = 0;
  const kernel::SquareKernel* square = nullptr;

  std::shared_ptr<const Step> side;  // pack, unpack

  // listed: `count` blocks, the places of either side as the kernel reads them
  std::int64_t block = 0;
  kernel::Places from{}, to{};
  bool spread = false;
  const kernel::PairedKernel* paired = nullptr;
  base::Numbers from_list, to_list;  // own what from and to point to

  std::vector<Joint> steps;
  std::vector<std::int64_t> starts;  // sequence: [bytes] of data before each step
};

// Null where the two do not fit each other in a short program: then runs are walked one by one (move/copy.cpp), or
// where the order of writing matters. Both are of the same size [bytes], neither is empty. Refers to the plans' own
// lists, so the plans must outlive it. Cost: at most linear in the two plans, and bounded.
std::unique_ptr<const Joint> join(const Message& source, const Message& destination);

}  // namespace gapless::plan

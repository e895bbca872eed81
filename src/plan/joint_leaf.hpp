// Makes the steps of a joint plan, each as small as possible.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "plan/joint.hpp"

namespace gapless::plan {

// Repetitions on both sides.
struct BothLoops {
  std::int64_t source, destination;  // [bytes] of the first
  std::int64_t count, source_stride, destination_stride;
};

// Adds a run on both sides, joined to the one before if they touch on both.
void add_block(std::vector<Joint>& steps, std::int64_t source, std::int64_t destination, std::int64_t bytes);
// Adds repeated steps: as moves or as a square, if possible; one repetition as it is.
void add_loop(std::vector<Joint>& steps, const BothLoops& loops, std::vector<Joint> body);

// `packs`: the source's step packs into a run of the destination; otherwise the destination's step unpacks a run of the
// source.
Joint side_leaf(bool packs, std::shared_ptr<const Step> step, std::int64_t source, std::int64_t destination,
                std::int64_t bytes);

// `source` packs and `destination` unpacks the data of one repetition, kStripBytes at most.
Joint strips_leaf(const BothLoops& loops, std::shared_ptr<const Step> source, std::shared_ptr<const Step> destination);

// The offsets of blocks on one side: `stride` apart, starting at `at`, or listed ones, starting with entry `first`.
struct SideOffsets {
  std::int64_t at, stride;
  base::Numbers list;
  std::int64_t first;
  bool is_list;
};
Joint listed_leaf(const SideOffsets& from, const SideOffsets& to, std::int64_t block, std::int64_t count);

Joint sequence_of(std::vector<Joint> steps);

}  // namespace gapless::plan

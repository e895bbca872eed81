// The steps of a joint plan, each as small as it can be said.
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

// A run on both sides, joined to the one before where they touch on both.
void add_block(std::vector<Joint>& steps, std::int64_t source, std::int64_t destination, std::int64_t bytes);
// Repeated steps: as moves or as a square, where that says it; one repetition as it is.
void add_loop(std::vector<Joint>& steps, const BothLoops& loops, std::vector<Joint> body);

// `packs`: the source's step against a run of the destination; else the reverse.
Joint side_leaf(bool packs, std::shared_ptr<const Step> step, std::int64_t source, std::int64_t destination,
                std::int64_t bytes);

// `source` packs and `destination` unpacks what one repetition copies, kStripBytes at most.
Joint strips_leaf(const BothLoops& loops, std::shared_ptr<const Step> source, std::shared_ptr<const Step> destination);

// The places of blocks on one side: `stride` apart from `at` on, or listed ones from the entry `first` on.
struct SidePlaces {
  std::int64_t at, stride;
  base::Numbers list;
  std::int64_t first;
  bool is_list;
};
Joint listed_leaf(const SidePlaces& from, const SidePlaces& to, std::int64_t block, std::int64_t count);

Joint sequence_of(std::vector<Joint> steps);

}  // namespace gapless::plan

// What a rank knows of one timed operation, and what all ranks together say of many.
#pragma once

#include "../clock.hpp"
#include "operation.hpp"

#include <vector>

namespace gapless::lab::exchange {

struct Sample {
  double ns = 0;
  Writing writing;  // of this rank, within it or ahead of it
};

// [ns], sample by sample, on rank 0 only: the longest of all ranks without the writing of data, and with it.
struct Longest {
  std::vector<double> ns, cycle_ns;
};

// Collective. What the ranks of a ping-pong write in turn within a sample is taken out, that of both; what a rank wrote
// ahead is added to its own time for the whole cycle.
Longest longest_of(std::vector<Sample> all, bool writes_ahead, bool ping_pong, Place place);

}  // namespace gapless::lab::exchange

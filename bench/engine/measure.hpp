// Verifies every rival, then times all of them in turn.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rivals.hpp"

namespace gapless::bench {

// Throws std::runtime_error that names the rival whose bytes are wrong.
void verify(Arena& arena, Operation operation, const std::vector<Rival>& rivals);

struct Samples {
  std::string loop;        // of the ways that a rival has, the one that was timed
  std::int64_t times = 1;  // operations in one sample
  std::vector<double> ns;  // of one operation
};

// One entry a rival. Each repetition runs every rival once, in an order of its own. `cold`: nothing of the message is
// in a cache when an operation starts; else each sample comes right after the same operation.
std::vector<Samples> measure(Arena& arena, const std::vector<Rival>& rivals, int repetitions, std::uint64_t seed,
                             bool cold);

}  // namespace gapless::bench

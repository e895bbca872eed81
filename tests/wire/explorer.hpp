// All that a few agents can do together: each order of their operations, and of each load each value that it may find.
//
// The memory is that of C++: a load finds any store that is not hidden from it by a later one that happened before it,
// so a relaxed load may find an old value; release and acquire, and the read-modify-writes between them, order what was
// done before by vector clocks; and two accesses to data of which one is a write must be ordered so. (A state in which
// an agent's clock ticks with each release is enough: nobody can know of less.)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wire/agent.hpp"

namespace gapless::test {

struct Explored {
  std::int64_t states = 0;
  double schedules = 0;  // ways to an end, without looks in vain
  std::string failure;   // empty, or what went wrong, and the way to it
};

// Words and data are numbered from 0. At an end these words must be 0.
Explored explore(std::vector<Agent>& agents, int words, int data, const std::vector<int>& zero_at_end);

}  // namespace gapless::test

// What the schedules that the model compares do, without making them: they take memory in proportion to p log p, and
// the choice may be another one.
#pragma once

#include "alltoall/schedule.hpp"

namespace gapless::alltoall {

struct KnownCounts {
  Counts counts;              // of the schedule (schedule.hpp)
  std::int64_t gathered = 0;  // blocks sent in messages of several
};
KnownCounts counts_of_basic(int processes, bool in_place);
KnownCounts counts_of_spread_out(int processes, bool in_place);
// In place its copies depend on what stands where: reckoned by the same steps in O(p) memory.
KnownCounts counts_of_least_slots(int processes, bool in_place);

}  // namespace gapless::alltoall

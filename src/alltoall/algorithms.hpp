// The regular algorithms, each in a file of its own. All of them make the schedule for 1 <= processes <=
// kMostProcesses.
#pragma once

#include "alltoall/schedule.hpp"

namespace gapless::alltoall {

// Beyond it no schedule is made: they are proportional to p log p.
inline constexpr int kMostProcesses = 1 << 20;

Schedule basic_bruck(int processes);
Schedule modified_bruck(int processes);
Schedule zero_copy_bruck(int processes);
Schedule least_slots(int processes);
Schedule pairwise(int processes);
Schedule spread_out(int processes);

// With MPI_IN_PLACE: what is sent stands in the receive buffer.
Schedule least_slots_in_place(int processes);
// How many blocks that one copies.
std::int64_t copies_of_least_slots_in_place(int processes);
Schedule pairwise_in_place(int processes);
Schedule spread_out_in_place(int processes);
// Any other one, from a copy of the buffer.
Schedule in_place_from_copy(Schedule schedule);

// X*(p): the least number of slots of a zero-copy algorithm of Bruck's family (least_slots.cpp).
int least_number_of_slots(int processes);

}  // namespace gapless::alltoall

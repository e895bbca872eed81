// Runs a schedule on all its processes at once, with blocks that know whose they are.
#pragma once

#include <string>
#include <vector>

#include "alltoall/schedule.hpp"

namespace gapless::test {

// What is wrong with it; empty if every block is where it must be, nothing was sent that was not there, and what a
// round sends and what it receives are different memory.
std::string run_schedule(const alltoall::Schedule& schedule, bool in_place);

}  // namespace gapless::test

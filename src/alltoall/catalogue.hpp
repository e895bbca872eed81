// The regular algorithms by name, and their schedules, made once for each number of processes.
#pragma once

#include <string_view>

#include "alltoall/algorithms.hpp"

namespace gapless::alltoall {

// How the blocks of a message are described where it is sent by a datatype (ext/alltoall/pieces.hpp).
enum class Pieces : std::uint8_t {
  kEach,     // one piece a block
  kMerged,   // neighbours in memory are one piece
  kVector,   // the vector that the paper has for it: bounded or circular
  kIndexed,  // its list of displacements
};

struct Algorithm {
  const char* name;
  const char* says;  // what it does, in a few words
  Schedule (*schedule)(int processes);
  Schedule (*in_place)(int processes);
  Pieces pieces;
  bool library = false;  // the MPI library's own: no schedule
};

// Null: no algorithm has that name.
const Algorithm* find_algorithm(std::string_view name);
// Null beyond the last one.
const Algorithm* algorithm_at(int k);

// Throws if there is no memory, or processes are more than kMostProcesses. Any thread may call it.
SchedulePtr schedule_of(const Algorithm& algorithm, int processes, bool in_place);

}  // namespace gapless::alltoall

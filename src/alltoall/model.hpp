// Which regular all-to-all is fastest, by a model of three numbers (docs/alltoall.md). Pure: what is equal on all
// processes gives the same choice on all of them.
#pragma once

#include <cstdint>

#include "alltoall/catalogue.hpp"
#include "alltoall/irregular_model.hpp"

namespace gapless::alltoall {

using irregular::Machine;

struct Question {
  int processes;
  std::int64_t bytes;  // of a block
  bool is_in_place;
  bool is_persistent;
};

// [s] rounds * latency + bytes sent / bandwidth + bytes copied / pack rate; of several messages at the same time, half
// a latency for each further one. What a schedule copies, and what is gathered and scattered by us: each block that is
// sent in a message of several, on either side. Of the library little is known: it is taken for the better of the basic
// algorithm and of all messages at the same time, without any of our own cost of beginning a call.
double cost_s(const Algorithm& algorithm, const Question& question, const Machine& machine);

// The one that costs least; the library's own unless another one gains a quarter.
const Algorithm& choose(const Question& question, const Machine& machine);

}  // namespace gapless::alltoall

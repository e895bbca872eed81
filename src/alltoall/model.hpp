// Which regular all-to-all is fastest, by a model of three numbers (docs/alltoall.md). Pure: what is equal on all
// processes gives the same choice on all of them.
#pragma once

#include <cstdint>

#include "alltoall/machine.hpp"

namespace gapless::alltoall {

// The bytes of a block, first <= bytes <= last, for which ours, the zero-copy algorithm with the least memory, is
// chosen: it costs at most three quarters of the library's own.
//
// A cost [s]: rounds * latency + bytes sent / bandwidth + bytes copied / pack rate; of several messages at the same
// time, half a latency for each further one. What a schedule copies, and what is gathered and scattered by us: each
// block that is sent in a message of several, on either side. Of the library little is known: it is taken for the
// better of the basic algorithm and of all messages at the same time, without any of our own cost of beginning a call.
// All costs are lines over the bytes, and the library's is the least of two, so that there is one such range; it may be
// empty.
struct Range {
  std::int64_t first = 0, last = -1;
  bool has(std::int64_t bytes) const noexcept { return first <= bytes && bytes <= last; }
};
Range range_of_ours(int processes, bool is_in_place, bool is_persistent, const Machine& machine);

}  // namespace gapless::alltoall

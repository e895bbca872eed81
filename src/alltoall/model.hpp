// Which regular all-to-all is fastest, by a model of three numbers (docs/alltoall.md). Pure: what is equal on all
// processes gives the same choice on all of them.
#pragma once

#include <cstdint>

#include "alltoall/machine.hpp"

namespace gapless::alltoall {

// The bytes of a block for which ours, the zero-copy algorithm with the least memory, is chosen where nobody names an
// algorithm: among more than two processes it costs at most three quarters of the library's own.
//
// A cost [s]: rounds * latency + bytes sent / bandwidth + bytes copied / pack rate; of several messages at the same
// time, half a latency for each further one. What a schedule copies, and what is gathered and scattered by us: each
// block that is sent in a message of several, on either side. Of the library little is known: it is taken for the
// better of the basic algorithm and of all messages at the same time, without any of our own cost of beginning a call.
// All costs are lines over the bytes, and the library's is the least of two, so that there is one such range; it may be
// empty.
Range range_of_ours(int processes, bool is_in_place, bool is_persistent, const Machine& machine);

// The same in place of a program's MPI_Alltoall, which the layer has made fast for blocks with gaps: between two
// processes only what was measured.
Range range_of_calls(int processes, bool is_in_place, const Machine& machine);

// In place of a program's MPI_Alltoall_init. All messages must be on their way when it has been started, for MPI lets a
// program wait for anything else before it waits for this: so among more than two it is spread out, taken where the
// library's own is likely to be that, too, which costs more than the same bound once.
Range range_of_persistent(int processes, bool is_in_place, const Machine& machine);
// [processes] Requests among more are the library's; also those of blocks of different sizes.
inline constexpr int kMostPersistent = 32;

}  // namespace gapless::alltoall

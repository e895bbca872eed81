// Which algorithm it is where the caller names none.
#pragma once

#include "alltoall/model.hpp"
#include "ext/private_comm.hpp"

namespace gapless::ext::regular {

// The bytes of a block for which it is ours, by the model (alltoall/model.hpp): the same on all processes, as it
// depends on what is the same on all of them. The first call for a communicator is collective. MPI_SUCCESS or the
// library's code. Throws std::bad_alloc.
int range_of_ours(PrivateComm& comm, bool is_in_place, bool is_persistent, alltoall::Range& range);

}  // namespace gapless::ext::regular

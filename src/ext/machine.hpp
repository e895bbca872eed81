// The numbers of the models on a communicator.
#pragma once

#include "alltoall/machine.hpp"
#include "ext/private_comm.hpp"

namespace gapless::ext {

// Those of the distance between its processes, near if all are on one node. Rank 0 says them to all, so that all choose
// alike whatever files they see: measured ones from the file that GAPLESS_ALLTOALL_FILE names (several, with colons
// between: the first that exists), else the defaults. A file that is refused is named on stderr, once. The first call
// for a communicator is collective. Returns MPI_SUCCESS or the library's code. Throws std::bad_alloc.
int machine_of(PrivateComm& comm, alltoall::Machine& machine);

}  // namespace gapless::ext

// A communicator of this process alone, on which the library is asked what it thinks of arguments: nobody takes part,
// no message is sent there, and its errors return, so that no handler of the program's is called.
#pragma once

#include "mpi/abi/library.hpp"

namespace gapless::preload {

// Made in MPI_Init, or at the first use; MPI_COMM_SELF if it cannot be made.
// (Not a duplicate of that, for which the program's attributes would be copied.)
MPI_Comm own_comm() noexcept;
// Before MPI is finalised.
void free_own_comm() noexcept;

// True if the library refuses a type: one that is not committed. Asked each time, for types that were not seen
// committed.
bool refuses_type(MPI_Datatype type) noexcept;

}  // namespace gapless::preload

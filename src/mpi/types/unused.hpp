// For who looks at types without being their user: a type's first use stays the user's own (datatype.hpp).
#pragma once

#include "mpi/types/datatype.hpp"

namespace gapless::mpi {

// True if the type was committed and not used yet. No MPI call.
bool is_unused(MPI_Datatype type) noexcept;
// The facts of such a type, which stays unused; nullptr if there is no memory. Makes MPI calls on the handle.
DatatypePtr look_at_unused(MPI_Datatype type) noexcept;
// Counts as its first use, if it is unused still. No MPI call, on whatever handle.
void use_unused(MPI_Datatype type) noexcept;

}  // namespace gapless::mpi

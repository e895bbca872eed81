// The named types of the notation as MPI's.
#pragma once

#include <mpi.h>

namespace gapless::lab::exchange {

// MPI_DATATYPE_NULL for a name that is not known, and for a type that this library lacks.
MPI_Datatype named_type(const char* name);

}  // namespace gapless::lab::exchange

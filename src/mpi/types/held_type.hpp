// A type of the program that is still there after the program has freed it.
#pragma once

#include "mpi/abi/abi.hpp"

namespace gapless::mpi {

// Makes `held`, a committed type with the type map and the bounds of `type`, which is committed; to be freed by the
// library's Type_free. Not by MPI_Type_dup, which calls the program's functions for copying attributes: they may count,
// or refuse. Returns the library's code; `held` is set on success only.
int hold_type(MPI_Datatype type, MPI_Datatype& held) noexcept;

}  // namespace gapless::mpi

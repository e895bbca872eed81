// "library": MPI_Alltoallv and MPI_Alltoallw of the MPI library.
#pragma once

#include "ext/alltoallv/blocks.hpp"

namespace gapless::ext {

// Calls it with what the program gave; MPI_IN_PLACE stays that. Its errors are raised by the library, on `comm`, which
// is the program's. Counts and displacements [as in Half] beyond an int need a library with MPI 4's large counts: else
// MPI_ERR_COUNT, raised. Throws std::bad_alloc.
int call_library(const Half& sent, const Half& received, int processes, MPI_Comm comm);

}  // namespace gapless::ext

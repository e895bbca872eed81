// MPI_Datatype -> Layout, by asking the library how the type was built.
#pragma once

#include "layout/layout.hpp"
#include "mpi/abi.hpp"

namespace gapless::mpi {

// The layout of a valid datatype, or nullptr if it holds a constructor that is not decoded (F90 types, ...) or
// one whose bounds the library counts differently. Makes MPI calls: never call it with a lock held. Throws base::Error
// or std::bad_alloc.
layout::LayoutPtr decode(MPI_Datatype type);

}  // namespace gapless::mpi

// A random type of tests/support as an MPI datatype, constructor by constructor, by the library's own procedures.
#pragma once

#include <mpi.h>

#include "layout/layout.hpp"

namespace test {

// The basic or pair type of MPI that stands for an entry of the engine's table: another one for each entry.
MPI_Datatype named_type(const gapless::layout::Named& named);
// Not committed, the caller's to free; MPI_DATATYPE_NULL if the library refused it, its errors returning, or if it has
// other bounds than MPI for a part of it. Bounded and circular vectors and buckets are made by GAPLESS_Type_create_*.
MPI_Datatype mpi_type(const gapless::layout::Layout& type);
// The constructors of a type, those that it shares counted once; 0 of a named one.
int constructors_of(MPI_Datatype type);

}  // namespace test

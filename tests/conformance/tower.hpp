// A type of more constructors, one upon the other, than the layer reads: such a type is the library's.
#pragma once

#include <mpi.h>

namespace conformance {

inline MPI_Datatype tower_on(MPI_Datatype type) {
  MPI_Datatype top;
  MPI_Type_dup(type, &top);
  for (int k = 0; k < 205; ++k) {
    MPI_Datatype higher;
    MPI_Type_contiguous(1, top, &higher);
    MPI_Type_free(&top);
    top = higher;
  }
  MPI_Type_commit(&top);
  return top;
}

}  // namespace conformance

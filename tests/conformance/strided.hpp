// A block of ints that are apart, as wide as its place in an array of such blocks.
#pragma once

#include <mpi.h>

namespace conformance {

inline MPI_Datatype strided_block(int ints, int stride) {
  MPI_Datatype vector, block;
  MPI_Type_vector(ints, 1, stride, MPI_INT, &vector);
  MPI_Type_create_resized(vector, 0, ints * stride * static_cast<int>(sizeof(int)), &block);
  MPI_Type_free(&vector);
  MPI_Type_commit(&block);
  return block;
}

}  // namespace conformance

// The ranks in MPI_COMM_WORLD that a communicator's members have.
#pragma once

#include <algorithm>

#include "mpi/abi/library.hpp"

namespace gapless::preload {

// Calls found(member, rank) for each of the `size` members in turn, MPI_UNDEFINED for one of another world, as long as
// it returns true. Returns false if it did not, or if the library refuses. Allocates nothing: a process without memory
// would answer otherwise than the others.
template <class Found>
bool for_each_world_rank(MPI_Comm comm, int size, Found&& found) {
  constexpr int kBatch = 256;
  int own[kBatch], in_world[kBatch];
  MPI_Group mine, whole;
  if (mpi::library.Comm_group(comm, &mine) != MPI_SUCCESS) return false;
  mpi::library.Comm_group(MPI_COMM_WORLD, &whole);
  bool goes_on = true;
  for (int from = 0; goes_on && from < size; from += kBatch) {
    const int n = std::min(kBatch, size - from);
    for (int k = 0; k < n; ++k) own[k] = from + k;
    goes_on = mpi::library.Group_translate_ranks(mine, n, own, whole, in_world) == MPI_SUCCESS;
    for (int k = 0; goes_on && k < n; ++k) goes_on = found(from + k, in_world[k]);
  }
  mpi::library.Group_free(&whole);
  mpi::library.Group_free(&mine);
  return goes_on;
}

}  // namespace gapless::preload

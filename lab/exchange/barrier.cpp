#include "barrier.hpp"

#include <mpi.h>

namespace gapless::lab::exchange {

void barrier(int rank, int ranks) {
  constexpr int kTag = 8;
  for (int distance = 1; distance < ranks; distance *= 2) {
    MPI_Sendrecv(nullptr, 0, MPI_BYTE, (rank + distance) % ranks, kTag, nullptr, 0, MPI_BYTE,
                 (rank - distance + ranks) % ranks, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

}  // namespace gapless::lab::exchange

#include "preload/transfer/two_pieces.hpp"

#include <climits>

namespace gapless::preload {

bool TwoPieces::describe(std::int64_t bytes) noexcept {
  forget();
  if (bytes <= kTail || bytes > INT_MAX) return false;
  const int lengths[] = {static_cast<int>(bytes - kTail), kTail};
  const MPI_Aint displacements[] = {0, bytes - kTail + kGap};
  MPI_Datatype made = MPI_DATATYPE_NULL;
  if (mpi::library.Type_create_hindexed(2, lengths, displacements, MPI_PACKED, &made) != MPI_SUCCESS) return false;
  if (mpi::library.Type_commit(&made) != MPI_SUCCESS) {
    mpi::library.Type_free(&made);
    return false;
  }
  type_ = made;
  return true;
}

}  // namespace gapless::preload

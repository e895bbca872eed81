#include "mpi/types/held_type.hpp"

#include "mpi/abi/library.hpp"

namespace gapless::mpi {

// Resized to its own bounds, and not MPI_Type_contiguous of one element: libraries round the extents of those up anew.
int hold_type(MPI_Datatype type, MPI_Datatype& held) noexcept {
  MPI_Count lb = 0, extent = 0;
  if (const int code = library.Type_get_extent_x(type, &lb, &extent); code != MPI_SUCCESS) return code;
  MPI_Datatype made = MPI_DATATYPE_NULL;
  int code = library.Type_create_resized(type, static_cast<MPI_Aint>(lb), static_cast<MPI_Aint>(extent), &made);
  if (code == MPI_SUCCESS) code = library.Type_commit(&made);
  if (code == MPI_SUCCESS)
    held = made;
  else if (made != MPI_DATATYPE_NULL)
    library.Type_free(&made);
  return code;
}

}  // namespace gapless::mpi

// MPI_Win_allocate_shared, MPI_Win_free: memory that several processes of a node have, from here on, or no longer.
#include "preload/paired/mapped.hpp"
#include "preload/stats/counters.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

int wrap_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* window) {
  if (counting()) count_call(Procedure::kWin_allocate_shared);
  if (base == nullptr || window == nullptr) {
    return mpi::library.Win_allocate_shared(size, unit, info, comm, base, window);
  }
  MPI_Win made = MPI_WIN_NULL;
  const int code = mpi::library.Win_allocate_shared(size, unit, info, comm, base, &made);
  // The code does not tell: where the program's error handler returns, MPICH returns MPI_SUCCESS.
  if (made == MPI_WIN_NULL) return code;
  *window = made;
  map_window(made, comm, *static_cast<void**>(base), size);
  return code;
}

int wrap_Win_free(MPI_Win* window) {
  if (counting()) count_call(Procedure::kWin_free);
  if (window != nullptr) unmap_window(*window);
  return mpi::library.Win_free(window);
}

}  // namespace gapless::preload

// MPI_Win_allocate_shared, MPI_Win_allocate_shared_c, MPI_Win_free: memory that several processes of a node have, from
// here on, or no longer. Members of one communicator may use different forms of the call, so both do the same.
#include "preload/paired/mapped.hpp"
#include "preload/stats/counters.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

template <class Unit>
int allocate_shared(Procedure procedure, int (*native)(MPI_Aint, Unit, MPI_Info, MPI_Comm, void*, MPI_Win*),
                    MPI_Aint size, Unit unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* window) {
  if (counting()) count_call(procedure);
  if (base == nullptr || window == nullptr) return native(size, unit, info, comm, base, window);
  MPI_Win made = MPI_WIN_NULL;
  const int code = native(size, unit, info, comm, base, &made);
  // The code does not tell: where the program's error handler returns, MPICH returns MPI_SUCCESS.
  if (made == MPI_WIN_NULL) return code;
  *window = made;
  map_window(made, comm, *static_cast<void**>(base), size);
  return code;
}

}  // namespace

int wrap_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* window) {
  return allocate_shared(Procedure::kWin_allocate_shared, mpi::library.Win_allocate_shared, size, unit, info, comm,
                         base, window);
}

int wrap_Win_allocate_shared_c(MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void* base,
                               MPI_Win* window) {
  return allocate_shared(Procedure::kWin_allocate_shared_c, mpi::library.Win_allocate_shared_c, size, unit, info, comm,
                         base, window);
}

int wrap_Win_free(MPI_Win* window) {
  if (counting()) count_call(Procedure::kWin_free);
  if (window != nullptr) unmap_window(*window);
  return mpi::library.Win_free(window);
}

}  // namespace gapless::preload

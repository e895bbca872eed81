// MPI_Type_commit, MPI_Type_dup: from here on a handle is known. MPI_Type_free: or no longer.
#include "mpi/types/datatype.hpp"
#include "preload/stats/counters.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

int wrap_Type_commit(MPI_Datatype* type) {
  const int code = mpi::library.Type_commit(type);
  if (counting()) count_call(Procedure::kType_commit);
  if (code == MPI_SUCCESS && type != nullptr) mpi::register_type(*type);
  return code;
}

// A hint: what is registered goes by the attribute's callback (mpi/types/datatype.hpp), and nobody's plan is wrong
// without it.
int wrap_Type_free(MPI_Datatype* type) {
  if (type != nullptr) mpi::forget_mark(*type);
  if (counting()) count_call(Procedure::kType_free);
  return mpi::library.Type_free(type);
}

// The copy of a committed type is committed, also that of a predefined one; that of another type, or of one that is not
// known, waits for its commit.
int wrap_Type_dup(MPI_Datatype type, MPI_Datatype* copy) {
  const int code = mpi::library.Type_dup(type, copy);
  if (counting()) count_call(Procedure::kType_dup);
  if (code == MPI_SUCCESS && copy != nullptr && mpi::is_known_committed(type)) mpi::register_type(*copy);
  return code;
}

}  // namespace gapless::preload

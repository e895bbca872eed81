// What is to be done in MPI_Finalize while all of MPI may still be used.
#pragma once

#include "mpi/abi/library.hpp"

namespace gapless::mpi {

// Makes `callback` the delete callback of an attribute of MPI_COMM_SELF. MPI_Finalize deletes these before it ends
// anything else, in the reverse order in which they were set (MPI 4.1, 11.2.4). False if the library refuses.
inline bool call_at_finalize(MPI_Comm_delete_attr_function* callback) noexcept {
  // Not MPI_COMM_NULL_COPY_FN: that may be a function of the library.
  const auto copy_nothing = [](MPI_Comm, int, void*, void*, void*, int* flag) -> int {
    *flag = 0;
    return MPI_SUCCESS;
  };
  int keyval = MPI_KEYVAL_INVALID;
  if (library.Comm_create_keyval(copy_nothing, callback, &keyval, nullptr) != MPI_SUCCESS) return false;
  const bool is_set = library.Comm_set_attr(MPI_COMM_SELF, keyval, nullptr) == MPI_SUCCESS;
  library.Comm_free_keyval(&keyval);
  return is_set;
}

}  // namespace gapless::mpi

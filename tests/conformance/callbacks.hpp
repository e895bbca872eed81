// What programs do in MPI_Finalize: in a delete callback of MPI_COMM_SELF, which MPI calls before anything ends.
#pragma once

#include <mpi.h>

namespace conformance {

inline void call_in_finalize(MPI_Comm_delete_attr_function* callback, void* value = nullptr) {
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, callback, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, value);
  MPI_Comm_free_keyval(&key);
}

}  // namespace conformance

#include "mpi/abi/status.hpp"

#include "mpi/abi/library.hpp"

namespace gapless::mpi {

bool was_cancelled(const MPI_Status& status) noexcept {
  int cancelled = 0;
  return status.MPI_SOURCE != kUnsetSource && library.Test_cancelled(&status, &cancelled) == MPI_SUCCESS &&
         cancelled != 0;
}

std::int64_t received_bytes(const MPI_Status& status) noexcept {
  int cancelled = 0, count = 0;
  if (library.Test_cancelled(&status, &cancelled) != MPI_SUCCESS || cancelled != 0) return 0;
  if (library.Get_count(&status, MPI_PACKED, &count) != MPI_SUCCESS) return 0;
  if (count != MPI_UNDEFINED) return count;
  MPI_Count elements = 0;  // more than an int can count
  if (library.Get_elements_x(&status, MPI_PACKED, &elements) != MPI_SUCCESS) return 0;
  return elements == MPI_UNDEFINED ? 0 : elements;
}

void set_bytes(MPI_Status& status, std::int64_t bytes) noexcept {
  library.Status_set_elements_x(&status, MPI_BYTE, bytes);
}

void give_status(const MPI_Status& status, MPI_Status* users) noexcept {
  if (users == MPI_STATUS_IGNORE) return;
  const int error = users->MPI_ERROR;
  *users = status;
  users->MPI_ERROR = error;
}

}  // namespace gapless::mpi

// In place of src/mpi/abi/status.hpp.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace gapless::mpi {

inline std::int64_t received_bytes(const MPI_Status& status) noexcept {
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  return bytes;
}

}  // namespace gapless::mpi

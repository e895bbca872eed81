// In place of src/mpi/staging/host_memory.hpp.
#pragma once

namespace gapless::mpi {

inline bool is_host(const void*) noexcept {
  return true;
}

}  // namespace gapless::mpi

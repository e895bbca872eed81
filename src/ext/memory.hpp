// The program's buffers.
#pragma once

#include <cstdint>

#include "ext/library.hpp"
#include "mpi/staging/host_memory.hpp"
#include "plan/plan.hpp"

namespace gapless::ext {

// False for no buffer at all: NULL, which is MPI_BOTTOM, is an address for types of absolute displacements alone, and
// no data lie in the first page; or MPI_IN_PLACE. The plan has data.
inline bool is_buffer(const void* buffer, const plan::Plan& plan) noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(buffer) + static_cast<std::uintptr_t>(plan.first_byte());
  return buffer != MPI_IN_PLACE && first >= 4096;
}

// True if this processor may touch the data.
inline bool is_host(const void* buffer, const plan::Plan& plan) noexcept {
  return mpi::is_host(static_cast<const char*>(buffer) + plan.first_byte());
}

}  // namespace gapless::ext

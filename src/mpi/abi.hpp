// The one place that knows which MPI ABI this is compiled for: MPI's header, and what the header does not say.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace gapless::mpi {

#if defined(MPICH_VERSION) || defined(MPICH_NAME) || defined(MPICH)
inline constexpr const char* kAbiName = "mpich";

// MPICH ABI: the two top bits of a handle say how it is stored; 1 is built in. Built-in datatypes have no holes and are
// contiguous. Not so the pair types, which are stored like user types (and never registered: they stay native).
inline bool is_predefined(MPI_Datatype type) noexcept {
  return (static_cast<std::uint32_t>(type) >> 30) == 1;
}
inline std::uint64_t key_of(MPI_Datatype type) noexcept {
  return static_cast<std::uint32_t>(type);
}
#else
#error "no backend for this MPI ABI yet"
#endif

}  // namespace gapless::mpi

// In place of src/ext/library.hpp: SimGrid's MPI is linked, and has no large counts.
#pragma once

#include <mpi.h>

#include <cstring>

namespace gapless::ext {

inline constexpr int kNotReady = MPI_ERR_OTHER;
inline bool ready() noexcept {
  return true;
}
inline void* find_visible(const char* name) noexcept {
  if (std::strcmp(name, "MPI_Alltoall") == 0) return reinterpret_cast<void*>(&MPI_Alltoall);
  if (std::strcmp(name, "MPI_Ialltoall") == 0) return reinterpret_cast<void*>(&MPI_Ialltoall);
  return nullptr;
}
template <class Function>
Function* find_visible(const char* name) noexcept {
  return reinterpret_cast<Function*>(find_visible(name));
}
inline MPI_Comm own_comm() noexcept {
  return MPI_COMM_SELF;
}

}  // namespace gapless::ext

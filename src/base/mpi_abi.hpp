// Which of the MPI ABIs a library has that nobody is linked with.
#pragma once

namespace gapless::base {

// "openmpi", "standard" or "mpich"; `find` looks a symbol of the library up.
template <class Find>
const char* abi_of(Find&& find) noexcept {
  // Open MPI's own ABI has its predefined handles as data.
  if (find("ompi_mpi_comm_world") != nullptr) return "openmpi";
  using AbiVersion = int (*)(int*, int*);
  int major = 0, minor = 0;
  const auto version = reinterpret_cast<AbiVersion>(find("MPI_Abi_get_version"));
  return version != nullptr && version(&major, &minor) == 0 && major > 0 ? "standard" : "mpich";
}

}  // namespace gapless::base

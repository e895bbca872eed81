// MPICH ABI: MPICH, Intel MPI and their relatives. Handles are numbers, whose two top bits say how they are stored.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace gapless::mpi {

inline constexpr const char* kAbiName = "mpich";
inline constexpr bool kTruncationOverruns = false;
inline constexpr bool kCallbacksWaitForSessions = true;
// An error of one among several requests is one of no communicator, whatever communicator that request is of.
inline constexpr bool kSeveralHaveNoComm = true;
using PartitionList = const int*;

inline std::uint64_t key_of(int handle) noexcept {
  return static_cast<std::uint32_t>(handle);
}

// 1: built in. Not so the pair types, the only ones with holes: they are stored like user types.
inline bool is_contiguous_builtin(MPI_Datatype type) noexcept {
  return (static_cast<std::uint32_t>(type) >> 30) == 1;
}

inline const char* load_predefined(void* (*)(const char*)) noexcept {
  return nullptr;
}

}  // namespace gapless::mpi

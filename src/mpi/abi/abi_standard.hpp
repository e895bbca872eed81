// The ABI of the MPI 5.0 standard (chapter 20). Handles are pointers; those of predefined objects are small numbers.
#pragma once

#include <mpi_abi.h>

#include <cstdint>

namespace gapless::mpi {

inline constexpr const char* kAbiName = "standard";
inline constexpr bool kTruncationOverruns = false;
inline constexpr bool kCallbacksWaitForSessions = true;
// An error of one among several requests is one of no communicator, whatever communicator that request is of.
inline constexpr bool kSeveralHaveNoComm = true;
using PartitionList = const int*;

inline std::uint64_t key_of(const void* handle) noexcept {
  return reinterpret_cast<std::uintptr_t>(handle);
}

// Predefined handles lie below the first page's end. The pair types, the only ones with holes, follow one another.
inline bool is_contiguous_builtin(MPI_Datatype type) noexcept {
  const std::uint64_t key = key_of(type), first_pair = key_of(MPI_FLOAT_INT), last_pair = key_of(MPI_LONG_DOUBLE_INT);
  return key < 4096 && key - first_pair > last_pair - first_pair && type != MPI_DATATYPE_NULL;
}

inline const char* load_predefined(void* (*)(const char*)) noexcept {
  return nullptr;
}

}  // namespace gapless::mpi

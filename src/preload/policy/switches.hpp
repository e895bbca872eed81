// The rules and switches that are in force in this process. The switches themselves are functions of the interface
// (world/backend.cpp).
#pragma once

#include <atomic>
#include <climits>
#include <cstdint>

#include "mpi/abi/library.hpp"
#include "preload/policy/strategy.hpp"

namespace gapless::preload {

extern Policy policy;  // of decide(); set once, before the first wrapped call
// Set once. True if the process may complete requests, or start persistent ones, by procedures that are not wrapped.
extern bool receives_stay_native;
// Set once. True if every call goes to the library, and the layer only watches (GAPLESS_PROFILE=native).
extern bool native_only;
// True if the process has asked for such a completing procedure by its name since. Not among the facts that ranks agree
// on, so collective calls do not depend on it.
bool completion_looked_up() noexcept;
// With user-level failure mitigation a dead process and a revoked communicator must be told as the library does.
bool is_fault_tolerant() noexcept;
bool switched_on() noexcept;    // the run-time switch
int switched_way() noexcept;    // GAPLESS_WAY_HOST and so on; negative: as the setting says
bool switched_past() noexcept;  // true if it demands that all sends are packed past the caches
// [bytes] The longest message that the library takes.
inline std::int64_t largest_message() noexcept {
  return mpi::library.Send_c != nullptr ? INT64_MAX : INT_MAX;
}

// No program has memory below this address: a null buffer is MPI_BOTTOM only if the type has absolute addresses.
inline constexpr std::int64_t kLowestAddress = 4096;

// The number of reasons why contiguous calls must take the slow path too: to be counted, to be converted all the same
// (GAPLESS_FORCE), or because of receives that the program freed (requests/orphans.hpp).
extern std::atomic<int> slow_path_reasons;
inline void require_slow_path(bool on) noexcept {
  if (on) slow_path_reasons.fetch_add(1, std::memory_order_relaxed);
}
inline void release_slow_path() noexcept {
  slow_path_reasons.fetch_sub(1, std::memory_order_relaxed);
}
inline bool slow_path_required() noexcept {
  return slow_path_reasons.load(std::memory_order_relaxed) != 0;
}

// The fast path: a call with a built-in datatype goes to the library at once.
inline bool takes_fast_path(MPI_Datatype type) noexcept {
  return mpi::is_contiguous_builtin(type) && !slow_path_required();
}

inline bool takes_fast_path(MPI_Datatype one, MPI_Datatype other) noexcept {
  return mpi::is_contiguous_builtin(one) && (one == other || mpi::is_contiguous_builtin(other)) &&
         !slow_path_required();
}

}  // namespace gapless::preload

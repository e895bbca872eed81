// The rules and switches that are in force in this process.
#pragma once

#include <atomic>
#include <climits>
#include <cstdint>

#include "mpi/abi/library.hpp"
#include "preload/policy/strategy.hpp"

namespace gapless::preload {

extern Rule rule;  // of decide(); set once, before the first wrapped call
// Set once: the completion of requests may not be seen, nor the start of persistent ones.
extern bool receives_stay_native;
// The same since then, because the process has asked for such a procedure by its name. Not among the facts that ranks
// agree on, so that collective calls do not depend on it.
bool completion_looked_up() noexcept;
bool switched_on() noexcept;    // the run-time switch
bool switched_past() noexcept;  // whether it says that all sends are packed past the caches
// [bytes] that the library can be given as one message.
inline std::int64_t largest_message() noexcept {
  return mpi::library.Send_c != nullptr ? INT64_MAX : INT_MAX;
}

// Below this no program has memory: a null buffer is meant as MPI_BOTTOM only if the type says addresses.
inline constexpr std::int64_t kLowestAddress = 4096;

// Whether calls that nothing can be gained on must take the long way: to be counted, to be converted all the same
// (GAPLESS_FORCE), or because receives wait that the program no longer asks for (requests/orphans.hpp).
extern std::atomic<int> closer_looks;
inline void look_closer(bool on) noexcept {
  if (on) closer_looks.fetch_add(1, std::memory_order_relaxed);
}
inline void look_away() noexcept {
  closer_looks.fetch_sub(1, std::memory_order_relaxed);
}
inline bool looking_closer() noexcept {
  return closer_looks.load(std::memory_order_relaxed) != 0;
}

// A call whose datatype is built in takes the library's own path at once.
inline bool passes_by(MPI_Datatype type) noexcept {
  return mpi::is_contiguous_builtin(type) && !looking_closer();
}

inline bool passes_by(MPI_Datatype one, MPI_Datatype other) noexcept {
  return mpi::is_contiguous_builtin(one) && (one == other || mpi::is_contiguous_builtin(other)) && !looking_closer();
}

}  // namespace gapless::preload

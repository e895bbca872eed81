// GAPLESS_STATS, of the ways between two processes of a node (paired/ways.hpp): what became of messages that were
// offered, and whether what that needs was known.
#pragma once

#include <optional>
#include <string>

#include "preload/stats/counters.hpp"

namespace gapless::preload {

enum class WayEvent {
  kOffered,      // by this process
  kTakenBack,    // of these, packed because nobody had begun to copy it
  kRefused,      // or because its receiver could not
  kHelped,       // copied by both
  kKernel,       // messages that this process has read by the kernel
  kDirect,       // and by loads
  kAllocated,    // calls of MPI_Alloc_mem whose memory others can map
  kLayoutNew,    // shown to others, or read from them
  kLayoutKnown,  // the same, where that was done before
  kCount,
};

void add_way_event(WayEvent event) noexcept;
inline void count_way(WayEvent event) noexcept {
  if (counting()) add_way_event(event);
}

// The messages that were received by the way of this name, "kernel" or "direct"; nothing of others.
std::optional<std::int64_t> received_by(const char* way) noexcept;
// {"offered":n,...}, without those that are 0.
std::string ways_json();

}  // namespace gapless::preload

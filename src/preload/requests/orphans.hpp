// Requests that the program has freed (MPI_Request_free) before they completed, persistent ones among them.
//
// A receive's data must arrive all the same, so the library's request is kept, and asked again whenever the program
// completes or receives something: only from another message can it know that these data are there (MPI 4.1, 3.7.3).
#pragma once

#include "preload/requests/requests.hpp"

namespace gapless::preload {

// Takes over an entry (Requests::take) and its request.
void adopt(MPI_Request request, Pending* pending) noexcept;
// Unpacks and forgets what has completed meanwhile.
void progress_orphans() noexcept;
// Before MPI is finalised: what is still not complete is left to the library, and its staging never used again.
void abandon_orphans() noexcept;

// After that: what became one meanwhile has no request any more.
void forget_orphans() noexcept;

extern std::atomic<int> orphan_count;

// Ends a call that receives or completes.
struct AfterReceive {
  ~AfterReceive() {
    if (orphan_count.load(std::memory_order_relaxed) != 0) [[unlikely]]
      progress_orphans();
  }
};

}  // namespace gapless::preload

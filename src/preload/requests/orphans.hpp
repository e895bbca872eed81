// Orphans: requests that the program has freed (MPI_Request_free) before they completed, persistent ones among them.
//
// A receive's data must arrive all the same, so the library's request is kept, and tested whenever the program
// completes or receives something: only from another message can it know that these data are there (MPI 4.1, 3.7.3).
#pragma once

#include "preload/requests/requests.hpp"

namespace gapless::preload {

// Takes over a request and its entry, which is no longer in the table (Requests::take).
void adopt(MPI_Request request, RequestEntry* entry) noexcept;
// Unpacks and frees those that have completed meanwhile.
void progress_orphans() noexcept;
// Before MPI is finalised: leaves those that have not completed to the library, and never reuses their staging.
void abandon_orphans() noexcept;

// After MPI is finalised: those that were adopted meanwhile have no request any more.
void forget_orphans() noexcept;

extern std::atomic<int> orphan_count;

// A guard for a call that receives or completes.
struct AfterReceive {
  ~AfterReceive() {
    if (orphan_count.load(std::memory_order_relaxed) != 0) [[unlikely]]
      progress_orphans();
  }
};

}  // namespace gapless::preload

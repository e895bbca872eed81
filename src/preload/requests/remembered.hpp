// Persistent receives that have no entry, because a header finds no room in them: remembered until their requests are
// freed, for a message that was claimed (paired/claims.hpp) may be for one of them.
#pragma once

#include <atomic>

#include "preload/requests/requests.hpp"

namespace gapless::preload {

void remember_receive(MPI_Request request, const MessageBuffer& data, int source, int tag, MPI_Comm comm) noexcept;

extern std::atomic<int> remembered_receives;
void forget_receive_slowly(MPI_Request request) noexcept;
inline void forget_receive(MPI_Request request) noexcept {
  if (remembered_receives.load(std::memory_order_relaxed) != 0) forget_receive_slowly(request);
}
// Makes its entry, in the table; nullptr if it is none of these.
RequestEntry* entry_of_remembered(MPI_Request request) noexcept;

}  // namespace gapless::preload

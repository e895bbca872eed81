#include "preload/requests/request_entry.hpp"

#include <sched.h>

#include <algorithm>

namespace gapless::preload {

// If the program starts an active operation again, the library raises an error; packing has then written the same bytes
// once more, for the program may not have changed its buffer.
RequestEntry::State RequestEntry::start() noexcept {
  const State before = state();
  if (collective != nullptr) {
    collective->pack();
  } else if (partitions == nullptr) {
    sent.pack();
  } else if (receives) {
    partitions->reset();
  }
  set(State::kActive);
  return before;
}

void RequestEntry::deliver(const MPI_Status& status) noexcept {
  if (!receives || (!whole && status.MPI_SOURCE == kUnsetSource)) return;
  State expected = State::kActive;
  if (atomic_state().compare_exchange_strong(expected, State::kDelivering, std::memory_order_acquire)) {
    unpack(whole ? received.bytes() : received_bytes(status));
    return set(State::kDelivered);
  }
  // Two threads may ask for the status of one request, and both may read the data when they have it.
  while (state() == State::kDelivering) sched_yield();
}

Outcome RequestEntry::complete(MPI_Status& status, int error) noexcept {
  if (error != MPI_SUCCESS) {
    if (has_data_after(error, status)) deliver(status);
    // Where no status is looked at, nothing more may be delivered.
    if (whole) set(State::kDelivered);
    return Outcome::kFailed;
  }
  const bool broken = is_broken(status);
  deliver(status);
  set(State::kInactive);
  return broken ? Outcome::kBroken : Outcome::kDelivered;
}

bool RequestEntry::is_broken(MPI_Status& status) const noexcept {
  if (!receives || whole || partitions != nullptr || status.MPI_SOURCE == kUnsetSource) return false;
  std::int64_t bytes = received_bytes(status);
  if (received.judge(bytes) == MPI_SUCCESS) return false;
  set_bytes(status, bytes);
  return true;
}

bool RequestEntry::has_data_after(int code, const MPI_Status& status) const noexcept {
  if (!receives || collective != nullptr || status.MPI_SOURCE == kUnsetSource) return false;
  // If all is unpacked, the rest of the staging is the program's own data (p2p/isendrecv.cpp).
  const std::int64_t bytes = whole ? 0 : received_bytes(status);
  return (partitions != nullptr && bytes <= received.bytes()) || has_truncated_data(code, bytes, received.bytes());
}

void RequestEntry::unpack(std::int64_t received_bytes) noexcept {
  if (collective != nullptr) {
    collective->unpack();
  } else if (partitions != nullptr) {
    partitions->unpack_rest(received, received_bytes);
  } else if (!persistent) {
    received.unpack(received_bytes);
  } else if (received_bytes > 0) {
    received.unpack_part(0, std::min(received_bytes, received.bytes()));
  }
}

}  // namespace gapless::preload

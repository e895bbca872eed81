#include "preload/requests/request_entry.hpp"

#include <sched.h>

#include <algorithm>

namespace gapless::preload {

// If the program starts an active operation again, the library raises an error; packing has then written the same bytes
// once more, for the program may not have changed its buffer.
RequestEntry::State RequestEntry::begin() noexcept {
  const State before{is_active(), __atomic_load_n(&delivery, __ATOMIC_ACQUIRE)};
  if (collective != nullptr) {
    collective->pack();
  } else if (partitions == nullptr) {
    sent.pack();
  } else if (receives) {
    partitions->reset();
  }
  __atomic_store_n(&delivery, kNotDelivered, __ATOMIC_RELEASE);
  set_active(true);
  return before;
}

void RequestEntry::undo(State before) noexcept {
  __atomic_store_n(&delivery, before.delivery, __ATOMIC_RELEASE);
  set_active(before.active);
}

void RequestEntry::deliver(const MPI_Status& status) noexcept {
  if (!receives || !is_active() || (!whole && status.MPI_SOURCE == kUnsetSource)) return;
  // Two threads may ask for the status of one request, and both may read the data when they have it.
  Delivery expected = kNotDelivered;
  if (!__atomic_compare_exchange_n(&delivery, &expected, kDelivering, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
    while (__atomic_load_n(&delivery, __ATOMIC_ACQUIRE) != kDelivered) sched_yield();
    return;
  }
  unpack(whole ? received.bytes() : received_bytes(status));
  __atomic_store_n(&delivery, kDelivered, __ATOMIC_RELEASE);
}

int RequestEntry::judge(MPI_Status& status) noexcept {
  broken = MPI_SUCCESS;
  if (!receives || whole || partitions != nullptr || !is_active() || status.MPI_SOURCE == kUnsetSource)
    return MPI_SUCCESS;
  std::int64_t bytes = received_bytes(status);
  broken = received.judge(bytes);
  if (broken != MPI_SUCCESS) set_bytes(status, bytes);
  return broken;
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

void RequestEntry::end(const MPI_Status& status) noexcept {
  deliver(status);
  set_active(false);
}

// An error does not tell if the library still uses the staging: the operation stays active. The status of a later call
// tells how much came, nothing if the request is inactive; where no status is looked at, nothing more is delivered.
void RequestEntry::fail() noexcept {
  if (whole) __atomic_store_n(&delivery, kDelivered, __ATOMIC_RELEASE);
}

}  // namespace gapless::preload

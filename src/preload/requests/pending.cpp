#include "preload/requests/pending.hpp"

#include <sched.h>

#include <algorithm>

namespace gapless::preload {

// An active operation that the program starts again is an error that the library raises; until then packing has
// written the bytes that were there, for the program may not have changed its buffer.
Pending::Before Pending::begin() noexcept {
  const Before before{is_active(), __atomic_load_n(&delivered, __ATOMIC_ACQUIRE)};
  if (collective != nullptr) {
    collective->pack();
  } else if (partitions == nullptr) {
    sent.pack();
  } else if (receives) {
    partitions->reset();
  }
  __atomic_store_n(&delivered, 0, __ATOMIC_RELEASE);
  set_active(true);
  return before;
}

void Pending::undo(Before before) noexcept {
  __atomic_store_n(&delivered, before.delivered, __ATOMIC_RELEASE);
  set_active(before.active);
}

void Pending::deliver(const MPI_Status& status) noexcept {
  if (!receives || !is_active() || (!whole && status.MPI_SOURCE == kUnsetSource)) return;
  // Two threads may ask for the status of one request, and both may look at the data when they have it.
  int untouched = 0;
  if (!__atomic_compare_exchange_n(&delivered, &untouched, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
    while (__atomic_load_n(&delivered, __ATOMIC_ACQUIRE) != 2) sched_yield();
    return;
  }
  unpack(whole ? received.bytes() : received_bytes(status));
  __atomic_store_n(&delivered, 2, __ATOMIC_RELEASE);
}

int Pending::judge(MPI_Status& status) noexcept {
  broken = MPI_SUCCESS;
  if (!receives || whole || partitions != nullptr || !is_active() || status.MPI_SOURCE == kUnsetSource)
    return MPI_SUCCESS;
  std::int64_t bytes = received_bytes(status);
  broken = received.judge(bytes);
  if (broken != MPI_SUCCESS) set_bytes(status, bytes);
  return broken;
}

bool Pending::has_data_after(int code, const MPI_Status& status) const noexcept {
  if (!receives || collective != nullptr || status.MPI_SOURCE == kUnsetSource) return false;
  // Of what is unpacked whole, the rest is what the program had there.
  const std::int64_t bytes = whole ? 0 : received_bytes(status);
  return (partitions != nullptr && bytes <= received.bytes()) || has_truncated_data(code, bytes, received.bytes());
}

void Pending::unpack(std::int64_t received_bytes) noexcept {
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

void Pending::end(const MPI_Status& status) noexcept {
  deliver(status);
  set_active(false);
}

// An error does not say whether the library is through with the staging: it stays active. The status of a later call
// says how much came, nothing if the request is at rest; where it is not asked, nothing is delivered any more.
void Pending::fail() noexcept {
  if (whole) __atomic_store_n(&delivered, 2, __ATOMIC_RELEASE);
}

}  // namespace gapless::preload

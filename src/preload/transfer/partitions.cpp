#include "preload/transfer/partitions.hpp"

#include <sched.h>

#include <algorithm>
#include <new>

namespace gapless::preload {

std::unique_ptr<Partitions> Partitions::make(int count, std::int64_t bytes, bool receives) noexcept {
  std::unique_ptr<Partitions> made(new (std::nothrow) Partitions);
  if (made == nullptr) return nullptr;
  made->count_ = count;
  made->each_bytes_ = bytes / count;
  if (!receives) return made;
  made->states_.reset(new (std::nothrow) State[static_cast<std::size_t>(count)]);
  if (made->states_ == nullptr) return nullptr;
  made->reset();
  return made;
}

std::int64_t Partitions::pack(MessageBuffer& sent, int low, int high) const noexcept {
  if (low < 0 || high >= count_ || low > high) return 0;
  const std::int64_t bytes = (high - std::int64_t{low} + 1) * each_bytes_;
  sent.pack_part(low * each_bytes_, bytes);
  return bytes;
}

void Partitions::reset() noexcept {
  std::fill_n(states_.get(), count_, kPacked);
}

bool Partitions::claim(int partition) noexcept {
  State packed = kPacked;
  return __atomic_compare_exchange_n(&states_[partition], &packed, kUnpacking, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_ACQUIRE);
}

void Partitions::unpack(MessageBuffer& received, int partition) noexcept {
  if (partition < 0 || partition >= count_) return;
  if (claim(partition)) {
    received.unpack_part(partition * each_bytes_, each_bytes_);
    return mark_unpacked(partition);
  }
  while (__atomic_load_n(&states_[partition], __ATOMIC_ACQUIRE) != kUnpacked) sched_yield();
}

void Partitions::unpack_rest(MessageBuffer& received, std::int64_t received_bytes) noexcept {
  // Neighbouring ones that no thread asked for are unpacked together.
  for (int from = 0; from < count_;) {
    int to = from;
    while (to < count_ && claim(to)) ++to;
    if (to > from) {
      const std::int64_t end = std::min(to * each_bytes_, received_bytes);
      if (end > from * each_bytes_) received.unpack_part(from * each_bytes_, end - from * each_bytes_);
    }
    for (; from < to; ++from) mark_unpacked(from);
    if (from < count_) unpack(received, from++);  // waits for the thread that unpacks it
  }
}

}  // namespace gapless::preload

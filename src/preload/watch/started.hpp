// Which entry a request belongs to, so that the time of the calls that complete it can be told as that entry's. A table
// of fixed size, written without a lock: a request that another one has pushed out is nobody's, never another's.
#pragma once

#include <atomic>
#include <cstdint>

#include "mpi/abi/abi.hpp"
#include "preload/watch/book.hpp"
#include "preload/watch/notes.hpp"

namespace gapless::preload {

class Started {
 public:
  // `each` [bytes] of an operation is kept beside it, up to 4 GiB.
  void put(MPI_Request request, const Part& part) noexcept {
    if (request == MPI_REQUEST_NULL) return;
    Slot& slot = slot_of(request);
    slot.bytes.store(part.bytes, std::memory_order_relaxed);
    slot.word.store(tag_of(request) | number_of(part.entry), std::memory_order_release);
  }
  // {nullptr, 0} if it is not known.
  Part find(MPI_Request request) const noexcept {
    if (request == MPI_REQUEST_NULL) return {nullptr, 0};
    const Slot& slot = slot_of(request);
    const std::uint64_t word = slot.word.load(std::memory_order_acquire);
    const std::uint32_t number = word & kNumbers;
    if (number == 0 || (word & ~kNumbers) != tag_of(request)) return {nullptr, 0};
    return {entry_with(number), slot.bytes.load(std::memory_order_relaxed)};
  }
  // It has ended, and its handle may become another one's.
  void drop(const Entry* entry, std::uint64_t key) noexcept {
    Slot& slot = slots_[index_of(key)];
    std::uint64_t word = (key << kBits) | number_of(entry);
    slot.word.compare_exchange_strong(word, 0, std::memory_order_relaxed);
  }

 private:
  static constexpr int kBits = 14;
  static_assert(kMaxEntries == std::size_t{1} << kBits);
  static constexpr std::uint64_t kNumbers = kMaxEntries - 1;
  static constexpr std::size_t kSlots = std::size_t{1} << 13;
  struct Slot {
    std::atomic<std::uint64_t> word{0};
    std::atomic<std::int64_t> bytes{0};
  };
  // The upper 14 bits of an address are the same in all of a process.
  static std::uint64_t tag_of(MPI_Request request) noexcept { return mpi::key_of(request) << kBits; }
  static std::size_t index_of(std::uint64_t key) noexcept { return key * 0x9e3779b97f4a7c15u >> (64 - 13); }
  Slot& slot_of(MPI_Request request) noexcept { return slots_[index_of(mpi::key_of(request))]; }
  const Slot& slot_of(MPI_Request request) const noexcept { return slots_[index_of(mpi::key_of(request))]; }

  Slot slots_[kSlots];
};

}  // namespace gapless::preload

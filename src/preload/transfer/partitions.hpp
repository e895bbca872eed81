// The partitions of a partitioned operation (MPI 4.0, chapter 4): equal parts of one message, each of which is packed
// when the program says that it is ready, and unpacked when it is told that it has arrived.
#pragma once

#include <cstdint>
#include <memory>

#include "preload/transfer/transfer.hpp"

namespace gapless::preload {

class Partitions {
 public:
  // Of an operation of that many bytes; nullptr: no memory. What is received is unpacked part by part, so it must be
  // known of each part whether it was; what is sent needs nothing of the kind.
  static std::unique_ptr<Partitions> make(int count, std::int64_t bytes, bool receives) noexcept;

  // Packs those from `low` to `high`, as far as they exist (else the library raises an error). Returns the bytes.
  std::int64_t pack(Side& sent, int low, int high) const noexcept;

  // Before a receive starts, while nobody asks.
  void none_unpacked() noexcept;
  // Unpacks this one, unless it was; afterwards it is, whoever did it. Any number of threads.
  void unpack(Side& received, int partition) noexcept;
  // All that were not, as far as data came.
  void unpack_rest(Side& received, std::int64_t received_bytes) noexcept;

 private:
  enum State : unsigned char { kPacked, kInHand, kUnpacked };
  bool claim(int partition) noexcept;
  void settle(int partition) noexcept { __atomic_store_n(&states_[partition], kUnpacked, __ATOMIC_RELEASE); }

  int count_ = 0;
  std::int64_t each_bytes_ = 0;
  std::unique_ptr<State[]> states_;  // of a receive
};

}  // namespace gapless::preload

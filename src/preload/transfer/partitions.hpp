// The partitions of a partitioned operation (MPI 4.0, chapter 4): equal parts of one message, each of which is packed
// when the program says that it is ready, and unpacked when it is told that it has arrived.
#pragma once

#include <cstdint>
#include <memory>

#include "preload/transfer/transfer.hpp"

namespace gapless::preload {

class Partitions {
 public:
  // Makes those of an operation of `bytes` bytes; nullptr: no memory. A receive is unpacked part by part, and keeps a
  // state for each; a send needs none.
  static std::unique_ptr<Partitions> make(int count, std::int64_t bytes, bool receives) noexcept;

  // Packs those from `low` to `high`, and returns the bytes; nothing if there are no such partitions, for which the
  // library raises an error.
  std::int64_t pack(MessageBuffer& sent, int low, int high) const noexcept;

  // Marks none as unpacked. Before a receive starts, while no thread asks for one.
  void reset() noexcept;
  // Unpacks this one, unless another thread does; returns when it is unpacked. Thread-safe.
  void unpack(MessageBuffer& received, int partition) noexcept;
  // Unpacks all that are not, as far as data came.
  void unpack_rest(MessageBuffer& received, std::int64_t received_bytes) noexcept;

 private:
  enum State : unsigned char { kPacked, kUnpacking, kUnpacked };
  bool claim(int partition) noexcept;
  void mark_unpacked(int partition) noexcept { __atomic_store_n(&states_[partition], kUnpacked, __ATOMIC_RELEASE); }

  int count_ = 0;
  std::int64_t each_bytes_ = 0;
  std::unique_ptr<State[]> states_;  // of a receive
};

}  // namespace gapless::preload

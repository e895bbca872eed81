// A message to another process of this node, packed into shared memory while the library carries its header.
#pragma once

#include <cstdint>
#include <memory>

#include "mpi/abi/abi.hpp"
#include "preload/policy/shared_memory.hpp"
#include "wire/header.hpp"
#include "wire/patience.hpp"

namespace gapless::preload {

class PairedSend {
 public:
  // Takes memory for a message of `bytes` bytes to the process with this number on the node, and announces it. nullptr:
  // there is none, or that process declines.
  static std::unique_ptr<PairedSend> begin(int number, std::int64_t bytes, wire::Sending sending) noexcept;
  ~PairedSend();
  PairedSend(const PairedSend&) = delete;
  PairedSend& operator=(const PairedSend&) = delete;

  void* header() noexcept { return &header_; }
  const wire::Ticket& ticket() const noexcept { return message_.ticket(); }
  int dest() const noexcept { return to_; }
  // Packs all by pack(position, to, bytes); with `patience`, into warm chunks rather, if the receiver is at work. Waits
  // for nobody.
  template <class Pack>
  void pack(bool patience, Pack&& pack) noexcept;
  // The header was not sent, or its message was cancelled.
  void withdraw() noexcept;

 private:
  PairedSend(SharedMemory& shared, wire::Lease& lease, const wire::Ticket& ticket, int to) noexcept;
  SharedMemory& shared_;
  wire::Outgoing<wire::Segment> message_;
  int to_;
  bool withdrawn_ = false;
  wire::Header header_{};
};

template <class Pack>
void PairedSend::pack(bool patience, Pack&& pack) noexcept {
  wire::Patience rest;
  for (;;) {
    switch (message_.advance(patience && rest.left(), pack)) {
      case wire::Step::kMoved:
        rest.restart();
        break;
      case wire::Step::kWaits:
        rest.wait(shared_.segment);
        break;
      default:
        return;
    }
  }
}

}  // namespace gapless::preload

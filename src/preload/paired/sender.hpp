// A message to another process of this node, packed into shared memory while the library carries its header.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "mpi/abi/abi.hpp"
#include "preload/policy/shared_memory.hpp"
#include "preload/stats/ways.hpp"
#include "wire/header.hpp"
#include "wire/patience.hpp"
#include "wire/wait.hpp"

namespace gapless::preload {

class PairedSend {
 public:
  // Takes memory for a message of `bytes` bytes, in runs of a mean length, to the process with this number on the node,
  // and announces it. nullptr: there is none, or that process declines. With an origin it is offered.
  static std::unique_ptr<PairedSend> begin(int number, std::int64_t bytes, std::int64_t mean_run_bytes,
                                           wire::Sending sending, const std::optional<wire::Buffer>& origin) noexcept;
  ~PairedSend();
  PairedSend(const PairedSend&) = delete;
  PairedSend& operator=(const PairedSend&) = delete;

  void* header() noexcept { return &header_; }
  const wire::Ticket& ticket() const noexcept { return message_.ticket(); }
  int dest() const noexcept { return to_; }
  // Of a message that is offered: waits until its receiver has copied it (kDelivered). Else it is to be packed: nobody
  // has begun for a while (kOffered), who has could not (kRefused), or it was not offered (kPacked).
  // help() is called where the receiver shares the message.
  template <class Help>
  wire::Offer settle(Help&& help) noexcept;
  // For help(): where the receiver wants the data; and copies parts of them by copy(position, bytes).
  const wire::Buffer& target() const noexcept { return message_.target(); }
  template <class Copy>
  void help(Copy&& copy) noexcept {
    message_.help(copy);
  }
  // Packs all by pack(position, to, bytes); with `patience`, into warm chunks rather, if the receiver is at work. Waits
  // for nobody.
  template <class Pack>
  void pack(bool patience, Pack&& pack) noexcept;
  // The header was not sent, or its message was cancelled.
  void withdraw() noexcept;

 private:
  PairedSend(SharedMemory& shared, wire::Lease& lease, const wire::Ticket& ticket, int to,
             const std::optional<wire::Buffer>& origin) noexcept;
  SharedMemory& shared_;
  wire::Outgoing<wire::Segment> message_;
  int to_;
  bool withdrawn_ = false, is_offered_;
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

template <class Help>
wire::Offer PairedSend::settle(Help&& help) noexcept {
  if (!is_offered_) return wire::Offer::kPacked;
  is_offered_ = false;
  bool has_helped = false;
  wire::Patience rest;
  wire::Wait wait(shared_.segment, nullptr);
  for (;;) {
    const wire::Offer found = message_.look();
    switch (found) {
      case wire::Offer::kDelivered:
        return found;
      case wire::Offer::kShared:
        if (!has_helped) {
          count_way(WayEvent::kHelped);
          help();
        }
        has_helped = true;
        [[fallthrough]];
      case wire::Offer::kPulled:
        // It touches nothing here once it has ended.
        if (!wait.again(to_)) return wire::Offer::kDelivered;
        break;
      case wire::Offer::kOffered:
        if (rest.left()) {
          rest.wait(shared_.segment);
          break;
        }
        [[fallthrough]];
      case wire::Offer::kRefused:
        if (message_.take_back()) {
          count_way(found == wire::Offer::kRefused ? WayEvent::kRefused : WayEvent::kTakenBack);
          return found;
        }
        break;
      case wire::Offer::kPacked:
        return found;
    }
  }
}

}  // namespace gapless::preload

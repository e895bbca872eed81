// A message to another process of this node, packed into shared memory while the library carries its header.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "mpi/abi/abi.hpp"
#include "preload/policy/shared_memory.hpp"
#include "preload/stats/ways.hpp"
#include "wire/header.hpp"
#include "wire/patience.hpp"
#include "wire/wait.hpp"

namespace gapless::preload {

// Of all messages of this process, those that are offered.
extern std::atomic<int> offers;

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
  // True if it was offered, and has not been settled.
  bool is_offered() const noexcept { return is_offered_; }
  // True if it was offered a while ago.
  bool is_due() const noexcept { return base::now_ns() - offered_ns_ >= wire::Patience::kNs; }
  // Of a message that is offered: waits until its receiver has copied it (kDelivered). Else it is to be packed: nobody
  // has begun while there was patience (kOffered), who has could not (kRefused), or it was not offered (kPacked).
  // help() is called where the receiver shares the message.
  template <class Help>
  wire::Offer settle(wire::Patience& rest, Help&& help) noexcept;
  // The same without waiting. Nothing: its receiver copies it, or has not begun and may, unless `takes_back`.
  template <class Help>
  std::optional<wire::Offer> try_settle(bool takes_back, Help&& help) noexcept;
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
  void end_offer() noexcept {
    if (std::exchange(is_offered_, false)) offers.fetch_sub(1, std::memory_order_relaxed);
  }

  SharedMemory& shared_;
  wire::Outgoing<wire::Segment> message_;
  int to_;
  wire::Wait wait_{shared_.segment, nullptr};  // for a receiver that copies
  bool withdrawn_ = false, is_offered_, has_helped_ = false;
  std::int64_t offered_ns_ = 0;
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
std::optional<wire::Offer> PairedSend::try_settle(bool takes_back, Help&& help) noexcept {
  if (!is_offered_) return wire::Offer::kPacked;
  wire::Offer found = message_.look();
  switch (found) {
    case wire::Offer::kShared:
      if (!has_helped_) {
        count_way(WayEvent::kHelped);
        help();
      }
      has_helped_ = true;
      [[fallthrough]];
    case wire::Offer::kPulled:
      if (wait_.again(to_)) return std::nullopt;
      found = wire::Offer::kDelivered;  // it has ended, and touches nothing here
      break;
    case wire::Offer::kOffered:
      if (!takes_back) return std::nullopt;
      [[fallthrough]];
    case wire::Offer::kRefused:
      if (!message_.take_back()) return std::nullopt;
      count_way(found == wire::Offer::kRefused ? WayEvent::kRefused : WayEvent::kTakenBack);
      break;
    case wire::Offer::kDelivered:
    case wire::Offer::kPacked:
      break;
  }
  end_offer();
  return found;
}

template <class Help>
wire::Offer PairedSend::settle(wire::Patience& rest, Help&& help) noexcept {
  for (;;) {
    const std::optional<wire::Offer> found = try_settle(!rest.left(), help);
    if (found == wire::Offer::kDelivered) rest.restart();
    if (found) return *found;
    if (message_.look() == wire::Offer::kOffered) rest.wait(shared_.segment);
  }
}

}  // namespace gapless::preload

// The two ends of a message: the sender's, which packs it part by part into chunks, and a receiver's, which unpacks
// them as they come. Neither ever waits in here; what they do to the shared words is control.hpp's protocol.
//
// `Memory`: Segment, or the test's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/clock.hpp"
#include "wire/offer.hpp"
#include "wire/pool.hpp"
#include "wire/stores.hpp"

namespace gapless::wire {

// What a receiver has to know of a message.
struct Ticket {
  std::uint32_t process = 0;  // the sender, by its number on the node
  std::uint32_t record = 0;
  std::int64_t bytes = 0, part_bytes = 0;
  Trial trial = Trial::kNone;
  StoresKind kind{};
};

// What a trial takes one end of its message, part by part, and at last for who sent it.
class TrialTime {
 public:
  template <class Memory, class Move>
  void during(Memory& memory, const Ticket& ticket, bool is_last, Move&& move) noexcept {
    if (ticket.trial == Trial::kNone) {
      move();
      return;
    }
    const std::int64_t from = base::now_ns();
    move();
    ns_ += base::now_ns() - from;
    if (is_last) memory.stores(static_cast<int>(ticket.process)).add(ticket.trial, ticket.kind, ticket.bytes, ns_);
  }

 private:
  std::int64_t ns_ = 0;
};

// [bytes] of a part: the receiver begins when the first is packed, so short messages have several, and long ones fill
// the chunks.
inline std::int64_t part_bytes_of(std::int64_t bytes, Sending sending) noexcept {
  constexpr std::int64_t kParts = 4, kUnit = 4 << 10, kLeastAmongOthers = 32 << 10;
  const std::int64_t part = (bytes / kParts + kUnit - 1) / kUnit * kUnit;
  return std::clamp(part, sending == Sending::kAlone ? kUnit : kLeastAmongOthers, kChunkBytes);
}
inline std::int64_t parts_of(std::int64_t bytes, std::int64_t part_bytes) noexcept {
  return bytes / part_bytes + (bytes % part_bytes != 0 ? 1 : 0);
}

// [bytes] of a part of a message that both ends copy: the last one to end has the other wait for less than a part.
inline constexpr std::int64_t kSharedParts = 16, kLeastShared = 16 << 10;
inline std::int64_t shared_part_of(std::int64_t bytes) noexcept {
  return std::max((bytes / kSharedParts + 63) / 64 * 64, kLeastShared);
}
inline std::uint32_t shared_parts_of(std::int64_t bytes) noexcept {
  return static_cast<std::uint32_t>(parts_of(bytes, shared_part_of(bytes)));
}
template <class Record, class Copy>
void copy_parts(Record& record, std::int64_t bytes, Copy& copy) noexcept {
  const std::int64_t part_bytes = shared_part_of(bytes);
  for (std::uint32_t part = 0; take_part(record, shared_parts_of(bytes), part); end_part(record)) {
    const std::int64_t position = part * part_bytes;
    copy(position, std::min(part_bytes, bytes - position));
  }
}

enum class Step {
  kMoved,   // a part
  kWaits,   // for the other side
  kDone,    // nothing is left
  kBroken,  // what the other process wrote makes no sense
};

// Chunks that are used in turn: warm ones, which must fit into the second cache together. Others are taken only where
// these do not come back.
inline constexpr std::int64_t kWindow = 8;

template <class Memory, std::int64_t kTurns = kWindow>
class Outgoing {
  static_assert(kTurns > 1, "a receiver gives a chunk back when it has seen the next one");

 public:
  Outgoing() = default;
  // With a chunk for each part in the lease.
  Outgoing(Memory& memory, Lease lease, const Ticket& ticket, std::uint32_t readers) noexcept
      : memory_(&memory), lease_(std::move(lease)), ticket_(ticket), readers_(readers) {
    memory_->record(process(), ticket_.record).occupy(readers_);
  }

  const Ticket& ticket() const noexcept { return ticket_; }
  const Lease& lease() const noexcept { return lease_; }
  std::uint32_t used_chunks() const noexcept { return used_; }
  bool is_done() const noexcept { return parts_done_ * ticket_.part_bytes >= ticket_.bytes; }

  // Of a message that is offered (offer.hpp): before anybody is told of it, and afterwards.
  void offer() noexcept { make_offer(memory_->record(process(), ticket_.record)); }
  Offer look() const noexcept { return look_at_offer(memory_->record(process(), ticket_.record)); }
  bool take_back() noexcept { return take_back_offer(memory_->record(process(), ticket_.record)); }
  // Where the receiver wants it, once it is shared; and copies parts of it by copy(position, bytes), until all are
  // taken.
  const Buffer& target() const noexcept { return memory_->record(process(), ticket_.record).target; }
  template <class Copy>
  void help(Copy&& copy) noexcept {
    copy_parts(memory_->record(process(), ticket_.record), ticket_.bytes, copy);
  }

  // Packs the next part by pack(position, to, bytes). With `patience` it waits rather for a warm chunk than take
  // another one, as long as all receivers are at work.
  template <class Pack>
  Step advance(bool patience, Pack&& pack) noexcept {
    if (is_done()) return Step::kDone;
    std::uint32_t& turn = window_[parts_done_ % kTurns];
    if (parts_done_ < kTurns) {
      turn = lease_.chunks[used_++];
    } else if (!memory_->chunk(process(), turn).is_free()) {
      const auto& record = memory_->record(process(), ticket_.record);
      if (patience && record.pulls.load(std::memory_order_relaxed) == readers_) return Step::kWaits;
      turn = lease_.chunks[used_++];
    }
    const std::int64_t position = parts_done_ * ticket_.part_bytes;
    const std::int64_t bytes = std::min(ticket_.part_bytes, ticket_.bytes - position);
    time_.during(*memory_, ticket_, position + bytes == ticket_.bytes,
                 [&] { pack(position, memory_->data(process(), turn), bytes); });
    memory_->chunk(process(), turn).occupy(readers_);
    auto& before = parts_done_ == 0 ? memory_->record(process(), ticket_.record) : memory_->chunk(process(), last_);
    before.link_to(turn);
    last_ = turn;
    ++parts_done_;
    return Step::kMoved;
  }

 private:
  int process() const noexcept { return static_cast<int>(ticket_.process); }
  Memory* memory_ = nullptr;
  Lease lease_;
  Ticket ticket_;
  std::uint32_t readers_ = 1, used_ = 0, last_ = 0;
  std::int64_t parts_done_ = 0;
  std::uint32_t window_[kTurns] = {};
  TrialTime time_;
};

template <class Memory>
class Incoming {
 public:
  Incoming() = default;
  // The caller has asked whether the sender's first chunk is known.
  Incoming(Memory& memory, const Ticket& ticket) noexcept : memory_(&memory), ticket_(ticket) {
    memory_->record(process(), ticket_.record).pulls.fetch_add(1, std::memory_order_relaxed);
  }

  const Ticket& ticket() const noexcept { return ticket_; }
  bool is_done() const noexcept { return parts_done_ * ticket_.part_bytes >= ticket_.bytes; }

  // Copies a message that is offered by copy(), which returns false if it cannot; then, and if it is packed already, it
  // is to be unpacked part by part.
  // While it copies it may share the message, if copy() is to be true in any case.
  template <class Copy>
  void pull(Copy&& copy) noexcept {
    auto& record = memory_->record(process(), ticket_.record);
    if (!pull_offer(record)) return;
    if (!copy()) return refuse_offer(record);
    parts_done_ = parts_of(ticket_.bytes, ticket_.part_bytes);
    deliver_offer(record);
  }

  // For copy() of pull(): the sender may copy as well, into `target`, so both take parts until none is left, of `bytes`
  // bytes in all; those of the sender may still be under way afterwards.
  template <class Copy>
  void share(const Buffer& target, Copy&& copy) noexcept {
    auto& record = memory_->record(process(), ticket_.record);
    share_offer(record, target);
    copy_parts(record, ticket_.bytes, copy);
  }
  bool is_all_copied() const noexcept {
    return are_parts_copied(memory_->record(process(), ticket_.record), shared_parts_of(ticket_.bytes));
  }

  // Unpacks the next part, if it is there, by unpack(position, from, bytes).
  template <class Unpack>
  Step advance(Unpack&& unpack) noexcept {
    if (is_done()) return Step::kDone;
    auto& record = memory_->record(process(), ticket_.record);
    const bool first = parts_done_ == 0;
    const std::uint32_t link =
        (first ? record : memory_->chunk(process(), chunk_)).link.load(std::memory_order_acquire);
    if (link == 0) return Step::kWaits;
    if (!memory_->is_known(process(), link - 1)) return Step::kBroken;
    if (!first) memory_->chunk(process(), chunk_).give_back();
    chunk_ = link - 1;
    const std::int64_t position = parts_done_ * ticket_.part_bytes;
    const std::int64_t bytes = std::min(ticket_.part_bytes, ticket_.bytes - position);
    time_.during(*memory_, ticket_, position + bytes == ticket_.bytes,
                 [&] { unpack(position, static_cast<const char*>(memory_->data(process(), chunk_)), bytes); });
    ++parts_done_;
    if (is_done()) {
      memory_->chunk(process(), chunk_).give_back();
      record.give_back();
    }
    return Step::kMoved;
  }

 private:
  int process() const noexcept { return static_cast<int>(ticket_.process); }
  Memory* memory_ = nullptr;
  Ticket ticket_;
  std::uint32_t chunk_ = 0;
  std::int64_t parts_done_ = 0;
  TrialTime time_;
};

}  // namespace gapless::wire

// A message that is offered: its receiver may copy it straight out of the sender's memory, instead of the sender
// packing it into chunks. Both ends go by one word of its record (control.hpp):
//
//   offered --receiver--> pulled --receiver--> delivered
//      |                   | |                     |
//      | sender            | +--receiver--> shared + (both copy, part by part)
//      +--> packed         +--receiver--> refused --sender--> packed
//
// A message that is packed goes on as any other: its chunks were taken before it was offered, so that nothing can be
// missing then.
//
// Why it is right:
//  * Of the two that want an offered message one exchanges the word; the other sees that it is gone.
//  * Who pulls reads the sender's memory before it says that it has (release), and the sender goes on, and may write
//    there, when it has read that (acquire).
//  * Of a shared message each part is copied by who has taken its number, and the receiver goes on when it has read
//    (acquire) that all are copied (release).
//  * The record is given back before, for the sender takes it anew once it has read that the message is delivered.
//  * The sender waits only for a receiver that is copying; it takes the message back from one that has not begun.
// tests/wire/offers.cpp runs all interleavings of small cases.
#pragma once

#include <atomic>
#include <cstdint>

#include "wire/control.hpp"

namespace gapless::wire {

enum class Offer : std::uint32_t { kPacked, kOffered, kPulled, kShared, kDelivered, kRefused };

// By the sender: before it tells anybody of the record.
template <class Word>
void make_offer(Control<Word>& record) noexcept {
  record.taken.store(0, std::memory_order_relaxed);
  record.copied.store(0, std::memory_order_relaxed);
  record.offer.store(static_cast<std::uint32_t>(Offer::kOffered), std::memory_order_relaxed);
}
// What became of it.
template <class Word>
Offer look_at_offer(const Control<Word>& record) noexcept {
  return static_cast<Offer>(record.offer.load(std::memory_order_acquire));
}
// True if it is the sender's again, to be packed: nobody has begun, or it was refused.
template <class Word>
bool take_back_offer(Control<Word>& record) noexcept {
  for (const Offer from : {Offer::kOffered, Offer::kRefused}) {
    auto found = static_cast<std::uint32_t>(from);
    if (record.offer.compare_exchange_strong(found, static_cast<std::uint32_t>(Offer::kPacked),
                                             std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

// By the receiver. True if it may copy the message; false: it is packed.
template <class Word>
bool pull_offer(Control<Word>& record) noexcept {
  auto found = static_cast<std::uint32_t>(Offer::kOffered);
  return record.offer.compare_exchange_strong(found, static_cast<std::uint32_t>(Offer::kPulled),
                                              std::memory_order_relaxed);
}
// The sender may help: it has access to the target.
template <class Word>
void share_offer(Control<Word>& record, const Buffer& target) noexcept {
  record.target = target;
  record.offer.store(static_cast<std::uint32_t>(Offer::kShared), std::memory_order_release);
}
// It has copied it, and touches the record no more.
template <class Word>
void deliver_offer(Control<Word>& record) noexcept {
  record.give_back();
  record.offer.store(static_cast<std::uint32_t>(Offer::kDelivered), std::memory_order_release);
}
// It cannot, and goes on as with any message that is packed. Once it is shared, only of a sender that has ended.
template <class Word>
void refuse_offer(Control<Word>& record) noexcept {
  record.offer.store(static_cast<std::uint32_t>(Offer::kRefused), std::memory_order_relaxed);
}

// By both, of a message that is shared. True if `part` of `parts` is to be copied, by the caller; false: all are taken.
template <class Word>
bool take_part(Control<Word>& record, std::uint32_t parts, std::uint32_t& part) noexcept {
  part = record.taken.load(std::memory_order_relaxed);
  while (part < parts) {
    if (record.taken.compare_exchange_strong(part, part + 1, std::memory_order_relaxed)) return true;
  }
  return false;
}
template <class Word>
void end_part(Control<Word>& record) noexcept {
  record.copied.fetch_add(1, std::memory_order_release);
}
template <class Word>
bool are_parts_copied(const Control<Word>& record, std::uint32_t parts) noexcept {
  return record.copied.load(std::memory_order_acquire) == parts;
}

}  // namespace gapless::wire

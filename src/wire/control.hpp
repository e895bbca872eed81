// The protocol of a message between processes that share memory: the words that they share, and who may write them
// when.
//
// The sender packs a message part by part into chunks of its own pool, and links each one, packed, to the one before;
// the first to the message's record. A receiver follows the links, unpacks, and gives each chunk back. A chunk may go
// to several receivers, each of which unpacks it (a broadcast is packed once).
//
//   sender, for each part:  choose a chunk with readers == 0;  pack into it;  link = 0, readers = n;
//                           before it: link = chunk + 1 (release)
//   receiver:               wait until link != 0 (acquire);  readers -= 1 of the one before (release);  unpack
//   behind the last part:   readers -= 1 of that and of the record
//
//   a chunk or record:  free (readers == 0) --sender--> packed --sender links it--> seen by receivers --each--> free
//
// Why it is right:
//  * Only the owner makes a chunk not free, so one that it has found free stays free until it takes it.
//  * Until it is linked nobody else knows of it; what was packed before the link is seen by who reads the link.
//  * A receiver gives a chunk back only when it has read its link, or when it is the last: nobody looks at a chunk any
//    more once it is free, and its owner may begin again.
//  * The sender waits for nobody: it has as many chunks as the message has parts from the start (pool.hpp), and takes
//    one that came back only because that one is warm. So what it sends is sent whatever the receiver does.
// tests/wire/schedules.cpp runs all interleavings of small cases.
//
// `Word`: std::atomic<std::uint32_t>, or the test's.
#pragma once

#include <atomic>
#include <cstdint>

#include "wire/buffer.hpp"

namespace gapless::wire {

template <class Word>
struct alignas(64) Control {
  Word readers{0};  // that have not given it back
  Word link{0};     // of the next part's chunk, plus 1; 0: not packed yet
  Word pulls{0};    // of a record: the receivers that have begun
  Word serial{0};   // of a record: which message this is, for a receiver that was not told by a letter
  // Of a record whose message is offered (offer.hpp): what became of it; and where its receiver wants it, the parts
  // that somebody copies, and those that are copied.
  Word offer{0}, taken{0}, copied{0};
  Buffer target;

  bool is_free() const noexcept { return readers.load(std::memory_order_acquire) == 0; }
  // By the owner, of a free one.
  void occupy(std::uint32_t by) noexcept {
    link.store(0, std::memory_order_relaxed);
    pulls.store(0, std::memory_order_relaxed);
    readers.store(by, std::memory_order_relaxed);
  }
  void link_to(std::uint32_t chunk) noexcept { link.store(chunk + 1, std::memory_order_release); }
  void give_back() noexcept { readers.fetch_sub(1, std::memory_order_release); }
};
static_assert(sizeof(Control<std::atomic<std::uint32_t>>) == 64);

}  // namespace gapless::wire

// The chunks and records of this process: which are free, and who has the others.
//
// A message takes as many chunks as it has parts before its first byte is packed, so that nothing can be missing later;
// or it gets none, and goes another way. The lowest free ones are handed out first: those that were used last are warm.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "wire/segment.hpp"

namespace gapless::wire {

// What a message has taken.
struct Lease {
  std::uint32_t record = 0;
  std::vector<std::uint32_t> chunks;
};

class Pool {
 public:
  // Chunks that go to more than one peer, or to one whose share does not count.
  static constexpr int kNoPeer = -1;

  // May throw bad_alloc.
  explicit Pool(Segment& segment);

  // A record and `chunks` chunks for a message to `peer`, or false: the pool, at its cap, has no room, or half of it is
  // with this peer. Cost: a lock, and a look at each lent chunk below the highest one taken.
  bool take(std::uint32_t chunks, int peer, Lease& lease) noexcept;
  // Gives back what take() handed out: of the chunks those that were not used are free at once, `used` of them, in
  // `lease.chunks` from the front, when the receivers have given them back.
  void lend(const Lease& lease, std::uint32_t used) noexcept;
  // Chunks that are taken or with receivers now; and all.
  std::uint32_t busy() noexcept;
  std::uint32_t size() noexcept;

 private:
  enum class State : std::uint8_t { kFree, kTaken, kLent };
  bool reclaim(std::uint32_t chunk) noexcept;
  void reclaim_all() noexcept;

  Segment& segment_;
  std::mutex mutex_;  // never held while a byte is packed or a peer is waited for
  std::vector<State> chunks_, records_;
  std::vector<std::int16_t> peers_;  // of a lent chunk
  std::vector<std::uint32_t> with_;  // chunks with each peer
};

}  // namespace gapless::wire

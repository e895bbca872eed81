// How long the blocks are that pass through a process, as its neighbours of each round tell.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gapless::alltoall::irregular {

// Round by round: send outgoing(k) to the process that round k sends to, then hand to arrived(k) what came from the
// other one. What a process says of its own blocks is passed on unchanged, so all agree on the length of each message,
// whatever the receivers expect.
class Sizes {
 public:
  // `own[r]`: the bytes of the block for process r, none negative.
  Sizes(int rank, std::span<const std::int64_t> own);

  int processes() const noexcept { return processes_; }
  int rank() const noexcept { return rank_; }
  int rounds() const noexcept { return rounds_; }

  // In increasing distance: of the blocks that round k sends, and of those that it receives.
  std::span<const std::int64_t> outgoing(int round);
  // Throws base::Error if they cannot be: one is negative, or their sum is beyond 63 bits.
  void arrived(int round, std::span<const std::int64_t> sizes);
  // Room for them, to be received into: then arrived(k, incoming(k)).
  std::span<std::int64_t> incoming(int round) noexcept { return {received_.data() + first(round), count(round)}; }

  // After arrived(k).
  std::span<const std::int64_t> sent(int round) const noexcept { return {sent_.data() + first(round), count(round)}; }
  std::span<const std::int64_t> received(int round) const noexcept {
    return {received_.data() + first(round), count(round)};
  }
  // After the last round: the bytes that process r has for this one.
  std::int64_t from(int source) const noexcept;

 private:
  std::size_t first(int round) const noexcept { return firsts_[static_cast<std::size_t>(round)]; }
  std::size_t count(int round) const noexcept { return first(round + 1) - first(round); }
  int processes_, rank_, rounds_;
  std::array<std::size_t, 33> firsts_{};  // of each round, in the two lists
  std::vector<std::int64_t> by_distance_, sent_, received_;
};

}  // namespace gapless::alltoall::irregular

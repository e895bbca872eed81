// What the algorithms of Bruck's family share. In round k, of ceil(log2 p), the blocks whose number j has bit k set
// travel 2^k ranks further; at the end block j has travelled j.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "alltoall/schedule.hpp"

namespace gapless::alltoall {

inline int rounds_of(int processes) noexcept {
  return std::bit_width(static_cast<std::uint32_t>(processes - 1));
}

// Blocks that travel in the round, in increasing order: runs of 2^round consecutive ones. At most floor(p/2).
inline std::vector<int> travelling(int processes, int round) {
  std::vector<int> blocks;
  const std::int64_t run = std::int64_t{1} << round;
  for (std::int64_t first = run; first < processes; first += 2 * run)
    for (std::int64_t j = first; j < first + run && j < processes; ++j) blocks.push_back(static_cast<int>(j));
  return blocks;
}

// True if the block has travelled before the round, in which it travels.
inline bool has_travelled(int block, int round) noexcept {
  return (block & ((1 << round) - 1)) != 0;
}

// The rounds still ahead of the block after this one.
inline int rounds_ahead(int block, int round) noexcept {
  return std::popcount(static_cast<std::uint32_t>(block) >> round >> 1);
}

// The number of the block that comes from where this one starts, or ends where that one starts: they lie `block` ranks
// on either side.
inline int opposite(int block, int processes) noexcept {
  return block == 0 ? 0 : processes - block;
}

// The own block, from the send to the receive buffer: while the last messages are on their way, if they leave its place
// alone.
void copy_own(Schedule& schedule);

}  // namespace gapless::alltoall

// Bruck's pattern for blocks of different sizes: which blocks a round moves, whose they are, and where they rest.
//
// A block is named by its distance j, 0 < j < p: process i has it for process i - j (all modulo p). Round k, d = 2^k,
// moves the blocks whose j has the bit k from every process i to i - d, so that a block takes the bits of its distance
// from the lowest to the highest. In the table of process i, entry j begins as its own block for i - j; before round k
// it holds the block of process i + (j mod 2^k), and after its last round the block of i + j for i.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace gapless::alltoall::irregular {

// ceil(log2 p)
inline int round_count(int processes) noexcept {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(processes - 1)));
}

// How many blocks round k moves: at most p / 2.
inline std::int64_t moved_count(int processes, int round) noexcept {
  const std::int64_t d = std::int64_t{1} << round, period = 2 * d, p = processes;
  return p / period * d + std::max<std::int64_t>(0, p % period - d);
}

// Calls visit(first, last) for each run first <= j < last of the blocks that round k moves, in increasing order. Those
// of a run agree in the bits above k, so they are on the same way from here on.
template <class Visit>
void for_each_run(int processes, int round, Visit visit) {
  const std::int64_t d = std::int64_t{1} << round;
  for (std::int64_t first = d; first < processes; first += 2 * d)
    visit(static_cast<int>(first), static_cast<int>(std::min<std::int64_t>(first + d, processes)));
}

// Round k is the first one that moves block j: it comes from the sender's own buffer.
inline bool is_first(int distance, int round) noexcept {
  return (distance & ((1 << round) - 1)) == 0;
}

// Round k is the last one that moves block j: it has arrived.
inline bool is_last(int distance, int round) noexcept {
  return distance >> round == 1;
}

inline int before(int rank, int distance, int processes) noexcept {
  return rank >= distance ? rank - distance : rank - distance + processes;
}
inline int behind(int rank, int distance, int processes) noexcept {
  return before(rank, processes - distance, processes);
}

// MPI_IN_PLACE: block j of process i lies where the block of i - j arrives, whose distance is p - j. True if that
// happens not after j's first round: then j must be put aside before.
inline bool is_overwritten(int distance, int processes) noexcept {
  const int sent = std::countr_zero(static_cast<unsigned>(distance));
  return processes - distance < 2 << sent;
}

// The most blocks that are on their way through a process at a time: at the beginning of round k those that have moved
// and not arrived, 2^k <= j and j mod 2^k != 0, fewer than p; and those that arrive meanwhile to be sent on, part of
// what the round moves, at most p / 2. So less than 1.5 p.
inline std::int64_t held_blocks(int processes) noexcept {
  std::int64_t most = 0;
  for (int k = 0; k < round_count(processes); ++k) {
    const std::int64_t d = std::int64_t{1} << k, p = processes;
    const std::int64_t held = p - d - ((p - 1) / d);  // without the multiples of d among them
    const std::int64_t arriving = moved_count(processes, k) - std::min(d, p - d);
    most = std::max(most, held + arriving);
  }
  return most;
}

// Direct exchange in pairs: process i meets this one in round r, 0 <= r < p, and is met by it. Each pair meets once;
// a process meets itself in one round (p odd: a different one for each; p even: two processes in every second round).
inline int partner(int rank, int round, int processes) noexcept {
  return before(round, rank, processes);
}

}  // namespace gapless::alltoall::irregular

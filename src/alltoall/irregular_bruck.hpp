// One process's part of zero-copy Bruck for blocks of different sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "alltoall/irregular_sizes.hpp"

namespace gapless::alltoall::irregular {

// A part of a message. No two that a round sends or receives share memory, so that both can be on their way at once.
struct Piece {
  enum class Place : std::uint8_t {
    kSent,      // the whole block for process `peer`, in the send buffer
    kReceived,  // the whole block of process `peer`, in the receive buffer
    kHeld,      // bytes of blocks on their way, at `offset` of the memory for these
  };
  Place place;
  int peer;
  std::int64_t offset, bytes;
};

struct Round {
  int to, from;
  std::int64_t out_bytes, in_bytes;
  std::size_t out, in, end;  // the first piece that is sent, that is received, and the first one after them
};

// Each block is received where it stays until it is sent on, and is never moved within a process. `held_bytes`: exactly
// the most bytes that are on their way through this process at a time, no allocation can do with less; and so at most
// held_blocks(p) < 1.5 p times the largest block. For that a held block may lie in several pieces.
struct Schedule {
  std::vector<Round> rounds;
  std::vector<Piece> pieces;  // of all rounds, each one's in the order of its messages; none is empty
  std::int64_t held_bytes = 0;

  std::span<const Piece> out(const Round& round) const noexcept {
    return std::span(pieces).subspan(round.out, round.in - round.out);
  }
  std::span<const Piece> in(const Round& round) const noexcept {
    return std::span(pieces).subspan(round.in, round.end - round.in);
  }
};

// Cost: O(p log p), and a search of the gaps for each run of blocks that arrives to be sent on.
Schedule bruck(const Sizes& sizes);

}  // namespace gapless::alltoall::irregular

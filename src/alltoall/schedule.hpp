// What an all-to-all algorithm does, as data: which blocks are sent from where, and received into what, in each round.
//
// A block is what one process has for one other. Places are numbered relative to the rank of the process, so that one
// schedule serves all of them and depends on their number alone. Nothing here knows of MPI, of bytes or of types.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace gapless::alltoall {

enum class Buffer : std::uint8_t {
  kSend,          // block (rank + index) mod p of the send buffer; with MPI_IN_PLACE nothing is there
  kReceive,       // block (rank + index) mod p of the receive buffer
  kReceiveFixed,  // block `index` of the receive buffer, whatever the rank
  kSlot,          // a block of memory besides the two
};

struct Place {
  Buffer buffer = Buffer::kSlot;
  int index = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

// `element` says which block it is: of the Bruck algorithms, how far it has to travel.
struct Move {
  int element = 0;
  Place from, to;
  friend bool operator==(const Move&, const Move&) = default;
};

// Process r sends it to r + distance, which stores each block where `to` says on its own side; and r receives the same
// from r - distance (modulo p). The order of the blocks is the order of their bytes in the message.
struct Message {
  int distance = 0;
  std::vector<Move> blocks;
};

// Copies within the process, one after the other; then the messages, all at the same time: what they send and what they
// receive are different memory. Copies of `meanwhile` use none of it, and may be made while messages are on their way.
struct Step {
  std::vector<Move> copies;
  std::vector<Message> messages;
  std::vector<Move> meanwhile;
};

struct Schedule {
  int processes = 1;
  int slots = 0;
  std::vector<Step> steps;
};

using SchedulePtr = std::shared_ptr<const Schedule>;

// What a schedule does on one process. Its own block is left out of what is copied.
struct Counts {
  std::int64_t rounds = 0;  // steps with messages
  std::int64_t messages = 0;
  std::int64_t blocks_sent = 0;
  std::int64_t blocks_copied = 0;
  std::int64_t slots = 0;
};
Counts count(const Schedule& schedule);

// The index of the block in its buffer, on the process `rank`.
inline int block_index(Place place, int rank, int processes) noexcept {
  if (place.buffer != Buffer::kSend && place.buffer != Buffer::kReceive) return place.index;
  const std::int64_t sum = std::int64_t{rank} + place.index;
  return static_cast<int>(sum < processes ? sum : sum - processes);
}

}  // namespace gapless::alltoall

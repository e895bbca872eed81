// The memory that the processes of this node share (wire/segment.hpp), and the pool of chunks of this one. Their leader
// makes it and hands it on with the answer of the agreement (node.hpp); who is not counted there has none.
#pragma once

#include <cstdint>
#include <string>

#include "base/spare.hpp"
#include "preload/policy/rules.hpp"
#include "wire/board.hpp"
#include "wire/heap.hpp"
#include "wire/message.hpp"
#include "wire/pool.hpp"

namespace gapless::preload {

struct SharedMemory {
  SharedMemory(int descriptor, int self, std::string& why)
      : is_attached(segment.attach(descriptor, self, why)), pool(segment), board(segment, pool) {}
  wire::Segment segment;
  const bool is_attached;
  wire::Pool pool;
  wire::Board board;
  wire::Heap heap;        // of this process
  wire::PeerHeaps heaps;  // of the others
  // For the layout of a message that its sender cannot pack for now: one of 16 KiB takes less. As long as it is
  // missing nothing more is mapped.
  base::Spare spare{std::int64_t{4} << 20};
  // Of a message that this process sends: what its receivers have to know, and whether it is packed past the caches.
  wire::Ticket ticket(const wire::Lease& lease, std::int64_t bytes, std::int64_t part_bytes,
                      wire::StoresKind kind) noexcept {
    return {.process = static_cast<std::uint32_t>(segment.self()),
            .record = lease.record,
            .bytes = bytes,
            .part_bytes = part_bytes,
            .trial = segment.stores(segment.self()).next(kind),
            .kind = kind};
  }
  bool is_packed_past(const wire::Ticket& message) noexcept {
    return segment.stores(segment.self()).is_past(message.trial, message.kind);
  }
};

// False by GAPLESS_PAIRED=0; the same on all processes that agreed.
bool is_pairing_wanted() noexcept;
// False by GAPLESS_PAIRED_MESSAGES=0, or the rules' word: no messages from point to point; the same on all processes
// that agreed.
bool are_messages_wanted() noexcept;
// What a message through shared memory is compared with: an exchange of blocks, in which two processes wait for each
// other in any case; a root's message to all, which the library need not wait for, and the blocks of MPI_Scatterv; a
// message from one to another.
enum class Traffic { kExchange, kFromRoot, kScattered, kPointToPoint };
// [bytes] The smallest message that goes through shared memory; the same on all processes that agreed.
std::int64_t smallest_paired(Traffic traffic) noexcept;
// Whether the sender of a message from point to point sends it that way, by the settings or the rules. A receiver need
// not know.
bool may_pair(wire::Sending sending, Shape shape, std::int64_t bytes, std::int64_t mean_run_bytes) noexcept;
// Which messages from point to point may go that way, and who says so, in a few words.
std::string messages_in_words();
// What of this must be the same on all processes that agree.
std::string pairing_facts();
// [bytes] The longest block that neighbours exchange through it.
std::int64_t largest_between_neighbours() noexcept;

// For the leader of a node with so many processes: the descriptor to hand on, or -1.
int make_shared_memory(int processes) noexcept;
// Takes the descriptor, -1 if there is none. `self`: the number of this process on the node.
void join_shared_memory(int descriptor, int self) noexcept;
// nullptr: this process has none.
SharedMemory* shared_memory() noexcept;
// Why it has none, in a few words; empty if it has.
const std::string& reason_without_shared_memory() noexcept;

}  // namespace gapless::preload

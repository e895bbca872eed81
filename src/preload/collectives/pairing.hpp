// Which blocks of a collective call go through shared memory (exchange.hpp).
#pragma once

#include <climits>
#include <cstdint>
#include <span>
#include <vector>

#include "preload/collectives/collective.hpp"
#include "preload/policy/shared_memory.hpp"

namespace gapless::preload {

// Of a v- or w-call, first of all, on every process, whatever becomes of its arguments: the communicator gets its
// channel, if it is to have one. Once in a call, which must have all its members in it.
void prepare_blocks(const Call& call) noexcept;
// Where nobody asks: if there are long blocks with gaps, the next vote is told.
void note_wish(const Collective& collective) noexcept;

// Of a v- or w-call: each block that is long enough, and whose sender wants to pack it, whatever becomes of the others,
// which are left to the library. Blocks between a pair that exchanges several in one direction are the library's; so
// are those above `largest` bytes. One that a process gives to itself is copied. Returns false with the collective's
// error if it failed.
bool pair_blocks(const Call& call, Collective& collective, const Ends& ends, Traffic traffic,
                 std::int64_t largest) noexcept;
// The same of a call in which a process sends one block to all of its targets: through shared memory to all of them, or
// by the library. It goes to a target as often as that is among them.
bool pair_for_all(const Call& call, Collective& collective, const Ends& ends, std::int64_t largest) noexcept;
// How often each of `size` members is among the ends of the blocks that go one way. May throw bad_alloc.
std::vector<std::uint8_t> meetings(std::span<const int> ends, int size);

// True if some block may be long enough for that. Most calls have short blocks alone, and must cost next to nothing;
// where blocks are counted, all are looked at.
bool may_pair(const Call& call, const Collective& collective, Traffic traffic) noexcept;

// Of the others, in which all blocks go one way. Return true if all goes through shared memory; so does nothing with
// the collective's error, if that failed. `sent`, `received`: the blocks of this process, for and from each member in
// turn, of which the own one goes from side to side; empty where it has none.
//
// The root sends alone, and decides: of a broadcast (one block for all), of MPI_Scatter.
bool pair_from_root(const Call& call, Collective& collective, int root, std::span<const Piece> sent,
                    std::span<const Piece> received) noexcept;
// The root receives alone, and decides when it knows what all can do: MPI_Gather.
bool pair_to_root(const Call& call, Collective& collective, int root, std::span<const Piece> sent,
                  std::span<const Piece> received) noexcept;
// All send and receive, and each decides by what all said: Allgather(v) (one block for all), MPI_Alltoall.
bool pair_all(const Call& call, Collective& collective, std::span<const Piece> sent,
              std::span<const Piece> received) noexcept;

// Lists the blocks of a side of `n`. Returns false without memory.
bool list_blocks(const Blocks& side, int n, std::vector<Piece>& blocks) noexcept;

// True if the members ask each other in this call (policy/asking.hpp), which all of them look at, with the same answer.
inline bool asks_all(Call& call) noexcept {
  Near& near = *call.members.near;
  const bool has_channel = !near.voted || near.channel != nullptr;
  if (!call.asks.has_value()) call.asks = has_channel && (policy.force || near.among_all.asks(call.procedure));
  return *call.asks;
}

// True if blocks of so many bytes on every process may be exchanged whole.
inline bool may_exchange(const Call& call, Traffic traffic, std::int64_t bytes) noexcept {
  return bytes >= smallest_paired(traffic) && may_exchange(call);
}

// The same of a call in which all ask all, and this one is one in which they do; `bytes`: of the mean block. In v-calls
// what an int cannot count goes by the library, whichever procedure this process called.
inline bool asks_to_exchange(Call& call, std::int64_t bytes) noexcept {
  return may_exchange(call, Traffic::kExchange, bytes) && bytes <= INT_MAX / call.members.size && asks_all(call);
}

}  // namespace gapless::preload

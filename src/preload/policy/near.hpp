// The channel of a communicator whose members are all on this node (wire/channels.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/abi/abi.hpp"
#include "preload/policy/asking.hpp"
#include "wire/channels.hpp"

namespace gapless::preload {

// Between which members the blocks of a process go in v- and w-calls.
struct Ends {
  // The member of each block, MPI_PROC_NULL where there is none.
  std::vector<int> targets, sources;
  // How often each member is among them; above two it does not matter.
  std::vector<std::uint8_t> targets_met, sources_met;
  bool known = false;
};

struct Near {
  bool voted = false;
  bool is_put_off = false;
  int calls_put_off = 0;                   // before the vote
  std::unique_ptr<wire::Channel> channel;  // null: some member could not, or before the vote
  std::vector<int> numbers;                // on the node, of each member
  // Every member receives from those neighbours to which it sends, and from no others. So all that are connected find
  // the same greatest block in a call whose blocks are of one size for each sender.
  bool both_ways = false;
  // Of calls in which all members ask all; of blocks that go to a member, and that come from it.
  Asking among_all;
  std::vector<Asking> towards, from;
  // Found at the first call, for a communicator's topology stays: of calls among all, and among neighbours.
  Ends all, neighbours;
};

// The channel, or nullptr on all members alike. The members vote at the first call, by collective operations on `comm`:
// make it once in a blocking collective call, on all members in the same. Where none of them has seen anything gained
// lately, they put the vote off for kPutOff calls: a communicator that lives no longer needs no channel.
inline constexpr int kPutOff = 32;
wire::Channel* channel_of(MPI_Comm comm, Near& near) noexcept;

}  // namespace gapless::preload

// The channel of a communicator whose members are all on this node (wire/channels.hpp).
#pragma once

#include <memory>
#include <vector>

#include "mpi/abi/abi.hpp"
#include "wire/channels.hpp"

namespace gapless::preload {

struct Near {
  bool voted = false;
  std::unique_ptr<wire::Channel> channel;  // null: some member could not, or before the vote
  std::vector<int> numbers;                // on the node, of each member
};

// The channel, or nullptr on all members alike. The members vote at the first call, by collective operations on `comm`:
// make it in a blocking collective call, on all members in the same.
wire::Channel* channel_of(MPI_Comm comm, Near& near) noexcept;

}  // namespace gapless::preload

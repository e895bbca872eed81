// Ping-pong of one group after the other, all its members in turn.
#pragma once

#include "fabric/job.hpp"
#include "fabric/link.hpp"

namespace gapless::lab::fabric {

// Two ranks, with a channel for each way. Rank 0 prints. Returns whether all data were right.
bool exchange(const Job& job, const Place& place);

// Any number of ranks: opens a channel, sends a little around the ring, and prints what the channel holds.
void idle(const Place& place, std::int64_t bytes);

}  // namespace gapless::lab::fabric

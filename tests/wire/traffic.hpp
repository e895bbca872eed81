// Messages between members of a channel, each of whose bytes are known to all of them: what a member sends and receives
// until all is done. A member is a process, or one of the threads that share a process's segment and pool.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wire/channels.hpp"
#include "wire/message.hpp"
#include "wire/pool.hpp"

namespace gapless::wire::test {

struct Message {
  int from = 0, to = 0;  // to: -1: all others
  std::int64_t bytes = 0;
  bool goes_to(int member) const { return member != from && (to < 0 || to == member); }
};

// Of so many messages among so many members, from a seed.
std::vector<Message> random_messages(std::uint64_t seed, int members, int messages, std::int64_t most_bytes);

// Sends and receives what this member has to; returns what went wrong, or nothing. `peers`: the process of each member.
std::string exchange(Segment& segment, Pool& pool, Channel& channel, int self, const std::vector<int>& peers,
                     const std::vector<Message>& messages, std::uint64_t seed);

}  // namespace gapless::wire::test

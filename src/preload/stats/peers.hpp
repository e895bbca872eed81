// GAPLESS_STATS, of the memory that the processes of this node share: what went through it, process by process, and the
// pool of this one.
#pragma once

#include <cstdint>
#include <string>

namespace gapless::preload {

// Count a block to, or from, the process with this number on the node.
void count_sent_to(int number, std::int64_t bytes) noexcept;
void count_received_from(int number, std::int64_t bytes) noexcept;

// {"chunks":n,...,"peers":{"1":{"sent":n,...},...}}, by rank in MPI_COMM_WORLD; {"why":...} if this process shares
// none.
std::string shared_memory_json();
// The same for people, a line for the pool and one for each peer; empty if it shares none.
std::string shared_memory_table();

}  // namespace gapless::preload

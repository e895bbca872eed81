// GAPLESS_LOG: a line for each decision. GAPLESS_LOG=1 writes to standard error, GAPLESS_LOG=FILE appends to a file.
#pragma once

#include <cstdint>
#include <string>

#include "preload/policy/strategy.hpp"
#include "preload/procedures.hpp"
#include "preload/stats/counters.hpp"

namespace gapless::preload {

extern int log_file;  // descriptor, or -1; set once, before the first wrapped call
inline bool logging() noexcept {
  return log_file >= 0;
}
void open_log() noexcept;
// Of a transfer, as the program gave it. `plan`: null if the type has none.
void log_decision(Procedure procedure, std::int64_t count, const plan::Plan* plan, Path path, Reason reason,
                  bool is_split) noexcept;
// The settings that were refused, once they are known.
void log_refused() noexcept;
// Logs a collective call: the `bytes` that are rewritten as MPI_BYTE, or the reason why it is left to the library.
void log_collective(Procedure procedure, std::int64_t bytes, Reason reason) noexcept;
// Of one that is not the library's; `bytes`: to all, 0 where they are not known.
void log_own_alltoall(Procedure procedure, std::int64_t bytes, const char* algorithm) noexcept;
// Logs what of a collective call goes through shared memory.
void log_paired(Procedure procedure, const Paired& blocks) noexcept;
// Logs which way messages of this layout go from now on to a process of this node.
void log_way(int rank, std::int64_t count, const plan::Plan& plan, const char* way_and_why) noexcept;
// Logs why this process cannot read the memory of one of its node, or a message that it offered.
void log_unread(int rank, const char* what, const char* why) noexcept;
// Logs if this process shares memory with those of its node, and for which messages; `why` it does not, or empty.
void log_shared_memory(const std::string& why, const std::string& messages) noexcept;
// Logs if others can map what MPI_Alloc_mem hands out in this process; `why` they cannot, or empty.
void log_heap(const std::string& why) noexcept;
// Logs if collective calls may be rewritten as MPI_BYTE, and why.
void log_world(bool agreed, const std::string& why) noexcept;

}  // namespace gapless::preload

// GAPLESS_STATS: what was accelerated, what was declined, and why. Off, it costs one test of a constant.
//   GAPLESS_STATS=1           a table for each process on its standard error, when MPI is finalised
//   GAPLESS_STATS=json:FILE   a line of JSON for each process, appended to FILE
// Under `gapless run` they are counted in a file of the run folder, so that what was counted outlives the process.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.hpp"
#include "gapless/gapless_layer.h"
#include "preload/policy/strategy.hpp"
#include "preload/procedures.hpp"

namespace gapless::preload {

extern bool counting_on;  // set once, before the first wrapped call
inline bool counting() noexcept {
  return counting_on;
}

// True also where only calls with derived datatypes are counted, which go another way than to the library at once:
// under `gapless run`, which says in a line what came of them.
extern bool tallying_on;
inline bool tallying() noexcept {
  return tallying_on;
}

// Counts in <host>.<pid>.counters in GAPLESS_RUN_DIR from now on, mapped into memory: written by the kernel whatever
// ends the process. Where that cannot be had, in plain memory as before. Called once, before the first call is counted.
void keep_counters() noexcept;

// Count one call: as accelerated (`bytes` of data packed or rewritten), or as declined for `reason`.
void count_accelerated(Procedure procedure, std::int64_t bytes) noexcept;
void count_declined(Procedure procedure, Reason reason) noexcept;
void count_call(Procedure procedure) noexcept;  // of a procedure in which there is nothing to decide

// Count, besides, what went through the memory that the processes of this node share: a call of which something did,
// and a block of which the sender, or another process, decided that it does not. What each process sent this one, and
// got from it: peers.hpp.
struct Paired {
  std::int64_t sent = 0, received = 0;  // blocks; one that goes to several processes is packed, and counted, once
  std::int64_t sent_bytes = 0, received_bytes = 0;
};
void count_paired(Procedure procedure, const Paired& blocks) noexcept;
void count_unpaired(Procedure procedure, Reason reason) noexcept;

// Time spent in packing (or unpacking) for a procedure, also where another one did it later.
void count_time(Procedure procedure, bool packs, std::int64_t ns) noexcept;
// Runs one movement of data for a procedure; with GAPLESS_STATS, on the clock.
template <class Move>
void timed(Procedure procedure, bool packs, Move&& move) noexcept {
  if (!counting()) return move();
  const std::int64_t from = base::now_ns();
  move();
  count_time(procedure, packs, base::now_ns() - from);
}

// GAPLESS_Count.
int read_counters(const char* procedure, GAPLESS_Counters* counters);
// {"procedures":{"MPI_Send":{"calls":n,...},...}}; only procedures that were called.
std::string counters_json();
// The same for people, a line for each procedure.
std::string counters_table();

}  // namespace gapless::preload

// Which blocks of a collective call go through shared memory (exchange.hpp).
#pragma once

#include <span>

#include "preload/collectives/collective.hpp"

namespace gapless::preload {

// Of a v- or w-call: each block that is long enough, and whose sender wants to pack it, whatever becomes of the others,
// which are left to the library. `targets`, `sources`: the member of each block, or MPI_PROC_NULL. Blocks that a
// process sends to itself, and between a pair that exchanges several in one direction, are the library's. Returns false
// with the collective's error if it failed.
bool pair_blocks(const Call& call, Collective& collective, std::span<const int> targets,
                 std::span<const int> sources) noexcept;

// Of a broadcast, whose root decides alone: true if all goes through shared memory. So with the collective's error, if
// that failed.
bool pair_broadcast(const Call& call, Collective& collective, int root) noexcept;

}  // namespace gapless::preload

// What earlier versions of the layer may have left in /dev/shm: tables by which the processes of a node met, which
// stayed if a process died early. This version leaves nothing (node.hpp).
#pragma once

namespace gapless::preload {

// Removes this user's tables without a live process that are older than a minute. A job of such a version that is just
// beginning would at worst meet at two tables, both too small, and leave collectives native.
void sweep_leftovers() noexcept;

}  // namespace gapless::preload

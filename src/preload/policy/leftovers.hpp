// What earlier versions of the layer may have left in /dev/shm: tables by which the processes of a node met, whose
// names stayed where a process died early. This version leaves nothing (node.hpp).
#pragma once

namespace gapless::preload {

// Removes those of this user in which no live process is entered, if they are older than a minute. A job that is just
// beginning, under such a version, would at worst meet at two tables, both too small, and leave collectives native.
void sweep_leftovers() noexcept;

}  // namespace gapless::preload

// How far away the peers of a message are: what the rules distinguish (rules.hpp). A wrong answer costs time, and
// nothing else.
#pragma once

#include "mpi/abi/abi.hpp"
#include "preload/policy/rules.hpp"

namespace gapless::preload {

// The world is up: of what the launcher tells its processes, how many of them are on this node.
void learn_distance(int world_size) noexcept;

// Of a peer, as the program named it in this communicator. kNear where all of the world is on this node, kFar where
// this process is the only one of it here. Else what was found out about a process of the world, if it is named as
// such: elsewhere a translation would cost more than it gains.
Distance distance_to(int peer, MPI_Comm comm) noexcept;

}  // namespace gapless::preload

// The distance to the peer of a message, as the rules distinguish it (rules.hpp). A wrong answer costs time alone.
#pragma once

#include "mpi/abi/abi.hpp"
#include "preload/policy/rules.hpp"

namespace gapless::preload {

// Call it when the world is up. Reads from the launcher's environment how many processes are on this node.
void learn_distance(int world_size) noexcept;

// `peer`: a rank in `comm`. Returns kNear if all of the world is on this node, kFar if this process is the only one of
// it here. Otherwise the answer is known for MPI_COMM_WORLD alone: for any other communicator, translating the rank
// would cost more than it gains.
Distance distance_to(int peer, MPI_Comm comm) noexcept;

}  // namespace gapless::preload

// The agreement of MPI_COMM_WORLD: all its processes have this layer, of the same build, with the same settings, on the
// same library. Only then may collective calls be changed, for a collective that one process alone describes in another
// way hangs in some libraries and gives wrong data in others.
//
// It is proved without a message of MPI's, which a process without the layer would take for one of the program's. Where
// the whole world is on one node, its processes count themselves (node.hpp); over several nodes `gapless run` adds up
// what each node counted (roll_call.hpp). Where it cannot, the user may vouch for it (GAPLESS_EVERYWHERE=1); then all
// processes compare version and settings once, at initialisation.
#pragma once

#include <string>

namespace gapless::preload {

// Around MPI_Init[_thread], and before MPI_Finalize or where MPI_Init failed.
void before_world() noexcept;
void world_began() noexcept;
void world_ends() noexcept;

// True if the world agreed. From its beginning to its end the same on all its processes.
bool world_agreed() noexcept;
// Why it did or did not, in a few words.
const std::string& reason_of_world() noexcept;

// Where a process of the world is, as far as the world's agreement has shown it: kHere, on the node of this process.
// Meaningless before the world has begun.
enum class Location : unsigned char { kUnknown, kHere, kElsewhere };
Location location_of(int world_rank) noexcept;
// The number of a process among those of this node; -1 if it is not known to be here.
int number_on_node(int world_rank) noexcept;
// And the process that has a number; -1 if none is known to have it.
int rank_on_node(int number) noexcept;

// The number of procedures that the front has: a call that it lacks is never changed.
int served_procedures() noexcept;
// False if a call of MPI_X_c may pass it by; the same in all processes that agree.
bool serves_large_counts() noexcept;
// The run-time switches of collectives and of pairing (GAPLESS_Switch_collectives, GAPLESS_Switch_paired).
bool collectives_switched_on() noexcept;
bool own_alltoall_switched_on() noexcept;
bool pairing_switched_on() noexcept;

}  // namespace gapless::preload

// Whether all processes of MPI_COMM_WORLD have this layer, of the same build, with the same settings, on the same
// library: only then may collective calls be changed, for a collective that one process alone describes in another way
// hangs in some libraries and gives wrong data in others.
//
// It is proved without a message where the whole world is on one node (job.hpp). Over several nodes nothing but a
// message could prove it, and a process without the layer would take that for one of the program's; there the user
// vouches for it (GAPLESS_EVERYWHERE=1), and what can be wrong then (another version, other settings) is asked of all
// once, at initialisation.
#pragma once

namespace gapless::preload {

// Around MPI_Init[_thread], and before MPI_Finalize.
void before_world() noexcept;
void world_began() noexcept;
void world_ends() noexcept;

// Whether the world agreed. From its beginning to its end the same on all its processes.
bool world_agreed() noexcept;

// How many procedures the front has: a call that it lacks is never changed.
int served_procedures() noexcept;
// The run-time switch of collectives (GAPLESS_Switch_collectives).
bool collectives_switched_on() noexcept;

}  // namespace gapless::preload

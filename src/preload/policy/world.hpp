// What is known of MPI_COMM_WORLD in this process.
#pragma once

namespace gapless::preload {

// Between a successful MPI_Init[_thread] and MPI_Finalize.
bool world_is_up() noexcept;
// In MPI_COMM_WORLD; -1 before it is known.
int world_rank() noexcept;

// Lets the library progress: other processes may wait for it.
void make_progress() noexcept;

void set_world_up(int rank) noexcept;
void set_world_down() noexcept;

}  // namespace gapless::preload

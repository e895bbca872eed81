// The beginning and the end of MPI in this process.
#pragma once

namespace gapless::preload {

// Between a successful MPI_Init[_thread] and MPI_Finalize.
bool world_is_up() noexcept;

}  // namespace gapless::preload

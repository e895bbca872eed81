// How many blocks of a collective call each of its two buffers has on this process.
#pragma once

#include "mpi/abi/library.hpp"
#include "preload/watch/arguments.hpp"

namespace gapless::preload {

struct Blocks {
  int out = 0, in = 0;  // 0: the buffer means nothing here
};

// Makes calls of MPI that are local and cheap.
Blocks blocks_of(Kind kind, MPI_Comm comm, int root) noexcept;

}  // namespace gapless::preload

// What the all-to-all algorithms (src/ext) call in the layer: the library itself, by no procedure that is wrapped.
#pragma once

#include "mpi/abi/library.hpp"

namespace gapless::preload {

// Once, after load_library().
void connect_extension(mpi::Find find) noexcept;

}  // namespace gapless::preload

// The wrappers, one for each line of procedures.def, with the signatures of MPI's own header.
#pragma once

#include <type_traits>

#include "mpi/abi.hpp"
#include "mpi/library.hpp"

namespace gapless::preload {

#define GAPLESS_PROCEDURE(name) std::remove_pointer_t<decltype(mpi::Library::name)> wrap_##name;
#include "preload/procedures.def"
#undef GAPLESS_PROCEDURE

}  // namespace gapless::preload

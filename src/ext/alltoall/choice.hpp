// Which algorithm it is where the caller names none.
#pragma once

#include "ext/alltoall/operation.hpp"

namespace gapless::ext::regular {

// By the model (alltoall/model.hpp): the same on all processes, as it depends on what is the same on all of them.
// `bytes`: of a block. The first call for a communicator is collective. MPI_SUCCESS or the library's code. Throws
// std::bad_alloc.
int choose(PrivateComm& comm, std::int64_t bytes, bool is_in_place, bool is_persistent, Choice& choice);

}  // namespace gapless::ext::regular

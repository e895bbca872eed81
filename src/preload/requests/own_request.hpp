// A request of which the library knows nothing but that it has completed.
#pragma once

#include "mpi/abi/abi.hpp"

namespace gapless::preload {

// No other one has its handle until it is freed. MPI_REQUEST_NULL: the library has made none.
MPI_Request own_request() noexcept;

}  // namespace gapless::preload

// The MPI library's own all-to-all.
#pragma once

#include "ext/alltoall/operation.hpp"
#include "ext/request.hpp"

namespace gapless::ext::regular {

// MPI_Alltoall on the program's communicator, which raises its errors.
int library_alltoall(const Arguments& arguments) noexcept;

// Persistent: MPI_Alltoall_init where the library has it, else MPI_Ialltoall at each start. MPI_SUCCESS or a code, not
// raised yet. Throws std::bad_alloc.
int library_alltoall_init(const Arguments& arguments, const PrivateCommPtr& comm, GAPLESS_Request* request);

}  // namespace gapless::ext::regular

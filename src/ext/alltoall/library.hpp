// The MPI library's own all-to-all.
#pragma once

#include "ext/alltoall/operation.hpp"
#include "ext/request.hpp"

namespace gapless::ext::regular {

// MPI_Alltoall on the program's communicator. MPI_SUCCESS, or the code of an error that was raised there.
int library_alltoall(const Arguments& arguments) noexcept;

// Persistent: MPI_Alltoall_init where the library has it, else MPI_Ialltoall at each start. The types are those of the
// blocks, which are kept (Blocks::keep_type): Open MPI 5.0 itself uses types that the program may have freed.
// MPI_SUCCESS or a code, not raised yet. Throws std::bad_alloc.
int library_alltoall_init(const Arguments& arguments, const PrivateCommPtr& comm, const Blocks& send,
                          const Blocks& receive, GAPLESS_Request* request);

}  // namespace gapless::ext::regular

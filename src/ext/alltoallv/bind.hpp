// From the arguments of a call to an exchange that can run: what is wrong, which algorithm, and what it needs.
#pragma once

#include "ext/alltoallv/blocks.hpp"
#include "gapless/gapless_mpi.h"

namespace gapless::ext::irregular {

struct Arguments {
  Half sent, received;
  bool has_types = false;  // w: one for each process

  bool lacks_types() const noexcept {
    return has_types && (received.types == nullptr || (sent.types == nullptr && sent.buffer != MPI_IN_PLACE));
  }
};

// A plain call, from beginning to end. `algorithm`: a name, or null for the model's choice. Errors are raised.
int run(const Arguments& arguments, MPI_Comm comm, const char* algorithm) noexcept;

// A persistent one: collective, on all processes or on none. If on none, each has an error: its own, or of another's
// class; MPI_ERR_OTHER where it was that one's arguments alone. Errors are raised.
int bind(const Arguments& arguments, MPI_Comm comm, const char* algorithm, GAPLESS_Request* request) noexcept;

}  // namespace gapless::ext::irregular

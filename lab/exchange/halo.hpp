// What a halo exchange does with messages: all ranks send and receive at once, in a ring.
#pragma once

#include "ends.hpp"
#include "job.hpp"
#include "operation.hpp"
#include "packing.hpp"

#include <memory>

namespace gapless::lab::exchange {

// By MPI_Sendrecv, or by MPI_Irecv, MPI_Isend and MPI_Waitall; with `packing`, through MPI_PACKED.
std::unique_ptr<Operation> make_halo(Pattern pattern, const Ends& ends, const Message& message, const Peers& peers,
                                     std::unique_ptr<Packing> packing);

}  // namespace gapless::lab::exchange

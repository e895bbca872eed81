// MPI_Alltoall: each rank has a block for every rank, itself included, from one extent of the type to the next.
#pragma once

#include "job.hpp"
#include "memory.hpp"
#include "message.hpp"
#include "operation.hpp"
#include "packing.hpp"

#include <memory>

namespace gapless::lab::exchange {

std::unique_ptr<Operation> make_alltoall(MethodKind method, const Message& message, Memory& memory,
                                         std::unique_ptr<Packing> packing);

}  // namespace gapless::lab::exchange

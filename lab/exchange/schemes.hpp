// The other ways to send what a datatype describes: MPI_Bsend, persistent requests, MPI_Put between two fences, and
// MPI_Pack number by number.
#pragma once

#include "job.hpp"
#include "memory.hpp"
#include "message.hpp"
#include "operation.hpp"
#include "round_trip.hpp"

#include <cstdint>
#include <memory>

namespace gapless::lab::exchange {

bool is_scheme(MethodKind method);

// Why a message cannot be sent so, or nothing. What it says is the same on all ranks.
std::string lacks_scheme(MethodKind method, const Message& message);

// Of what is not lacking. Collective: a window is made by all ranks. `memory` and `message` must outlive it.
std::unique_ptr<Operation> make_scheme(const Trip& trip, MethodKind method, const Message& message, Memory& memory);

// What it takes beside the buffers that all methods share [bytes].
std::int64_t scheme_bytes(MethodKind method, const Message& message);

}  // namespace gapless::lab::exchange

// Messages whose datatype or whose buffer is another one each time, as in a program that keeps neither.
#pragma once

#include "job.hpp"
#include "memory.hpp"
#include "message.hpp"
#include "operation.hpp"
#include "round_trip.hpp"

#include <memory>

namespace gapless::lab::exchange {

// Whether a method can be sent so: by a typed call, or through MPI_Pack and MPI_Unpack.
bool can_be_fresh(MethodKind method);

// A ping-pong of such a method. With `fresh_type` both ranks construct and commit the datatype at the beginning of each
// run and free it at its end, at the same time. The addresses are those that the memory has at each run. `memory` and
// `message` must outlive it.
std::unique_ptr<Operation> make_fresh_pingpong(const Trip& trip, const MemberSpec& member, const Message& message,
                                               Memory& memory);

}  // namespace gapless::lab::exchange

// Messages that an application packs and unpacks by its own loops, and sends as numbers of its base type.
#pragma once

#include "job.hpp"
#include "memory.hpp"
#include "message.hpp"
#include "operation.hpp"
#include "packing.hpp"
#include "round_trip.hpp"

#include <mpi.h>

#include <memory>
#include <string>

namespace gapless::lab::exchange {

// Why this build has no loops of such a method, or nothing.
std::string lacks_loops(MethodKind method, const LoopsSpec& loops);

// Only of what is not lacking. `message` must outlive it.
std::unique_ptr<Packing> make_hand_packing(MethodKind method, const Message& message);

// The numbers that are sent on the whole.
MPI_Datatype hand_type(const Message& message);
int hand_count(const Message& message);
std::int64_t hand_element_bytes(const Message& message);

std::unique_ptr<Operation> make_pingpong_by_hand(const Trip& trip, const Message& message, Memory& memory,
                                                 std::unique_ptr<Packing> packing);

}  // namespace gapless::lab::exchange

// A message and the addresses that it has in the memory of this rank.
#pragma once

#include "memory.hpp"
#include "message.hpp"
#include "mpi_type.hpp"
#include "operation.hpp"

#include <mpi.h>

#include <cstdint>

namespace gapless::lab::exchange {

inline constexpr int kTag = 7;

struct Ends {
  Ends(const Message& message, Memory& memory, Place at)
      : send(memory.send(message)),
        receive(memory.receive(message)),
        packed_send(memory.packed_send()),
        packed_receive(memory.packed_receive()),
        send_count(message.send.count),
        receive_count(message.receive.count),
        send_type(message.send.handle.handle()),
        receive_type(message.receive.handle.handle()),
        packed_bytes(message.packed_bytes),
        capacity(message.packed_capacity),
        block_bytes(message.block_bytes()),
        place(at) {}

  char* send;
  char* receive;
  char* packed_send;
  char* packed_receive;
  int send_count, receive_count;
  MPI_Datatype send_type, receive_type;
  int packed_bytes;
  int capacity;
  std::int64_t block_bytes;
  Place place;
};

}  // namespace gapless::lab::exchange

// How one message gets from the memory of one rank into that of the other: the thing that is timed.
#pragma once

#include "buffers.hpp"
#include "layer_switch.hpp"
#include "layouts.hpp"

#include <mpi.h>

#include <memory>

namespace gapless::lab {

// Both ranks have the same channel: own send buffer, own receive buffer. A rank that answers sends from its send
// buffer, not what it just received, so that both directions of a ping-pong touch the same kind of memory.
class Channel {
 public:
  virtual ~Channel() = default;
  virtual void send(int peer) = 0;
  virtual void receive(int peer) = 0;
};

// What is sent and what is received: equal signatures, but not always equal types.
struct Ends {
  int send_count;
  MPI_Datatype send_type;
  int receive_count;
  MPI_Datatype receive_type;
};
// The same in the engine, where an end that nobody uses may be left empty.
struct EngineEnds {
  int send_count;
  EngineType send_type;
  int receive_count;
  EngineType receive_type;
};

// Payload sent and received in place as contiguous MPI_INT, or MPI_BYTE where its elements are no ints.
std::unique_ptr<Channel> make_contiguous_channel(Buffers& buffers, bool ints);
// Hand-written loops around the contiguous send.
std::unique_ptr<Channel> make_manual_channel(Buffers& buffers, const Layout& layout);
// MPI_Pack, then the packed bytes as MPI_PACKED; MPI_Unpack at the receiver.
std::unique_ptr<Channel> make_pack_channel(Buffers& buffers, const Ends& ends);
// The datatype handed to MPI_Send and MPI_Recv.
std::unique_ptr<Channel> make_typed_channel(Buffers& buffers, const Ends& ends);
// The datatype handed to MPI_Isend and MPI_Irecv, each followed by MPI_Wait.
std::unique_ptr<Channel> make_nonblocking_channel(Buffers& buffers, const Ends& ends);
// A typed channel with the layer on in one direction only. Switches inside the timed section: two calls of a few
// nanoseconds, which only the search for thresholds may afford.
std::unique_ptr<Channel> make_one_sided_channel(Buffers& buffers, const Ends& ends, const LayerSwitch& layer,
                                                bool on_send);
// The engine packs, the packed bytes are sent as MPI_PACKED, the engine unpacks: the layer's work done by the program.
std::unique_ptr<Channel> make_engine_channel(Buffers& buffers, EngineEnds ends);
// No message: the engine, without MPI and without the layer, packs or unpacks where the others do. Its send() is the
// work, its receive() nothing.
std::unique_ptr<Channel> make_engine_pack(Buffers& buffers, EngineEnds ends);
std::unique_ptr<Channel> make_engine_unpack(Buffers& buffers, EngineEnds ends);

}  // namespace gapless::lab

// What every ping-pong does, whatever a send and a receive are.
#pragma once

#include "job.hpp"
#include "operation.hpp"

#include <mpi.h>

namespace gapless::lab::exchange {

// A rank's part in a ping-pong. Of several pairs each rank of the first half begins one, with the rank as far from the
// end as it is from the beginning.
struct Trip {
  Trip(const GroupSpec& group, Place place)
      : peer(partner(place)), leads(exchange::leads(place)), empty_pong(group.empty_pong) {}
  int peer;
  bool leads;
  bool empty_pong;
};

// Who leads sends and receives, the other one answers. A rank that answers sends from its send buffer, not what it just
// received: both directions touch the same memory. Or it sends nothing, so that one direction alone is timed.
template <class Before, class Send, class Receive>
void round_trip(const Trip& trip, const Before& before_send, const Send& send, const Receive& receive) {
  constexpr int kEmptyTag = 13;
  const int peer = trip.peer;
  if (trip.leads) {
    before_send();
    send(peer);
    if (trip.empty_pong)
      MPI_Recv(nullptr, 0, MPI_BYTE, peer, kEmptyTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
      receive(peer);
    return;
  }
  receive(peer);
  if (trip.empty_pong) {
    MPI_Send(nullptr, 0, MPI_BYTE, peer, kEmptyTag, MPI_COMM_WORLD);
    return;
  }
  before_send();
  send(peer);
}

}  // namespace gapless::lab::exchange

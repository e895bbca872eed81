// What every ping-pong does, whatever a send and a receive are.
#pragma once

namespace gapless::lab::exchange {

// Rank 0 sends and receives, rank 1 answers. A rank that answers sends from its send buffer, not what it just received:
// both directions touch the same memory.
template <class Before, class Send, class Receive>
void round_trip(int rank, const Before& before_send, const Send& send, const Receive& receive) {
  if (rank == 0) {
    before_send();
    send(1);
    receive(1);
  } else {
    receive(0);
    before_send();
    send(0);
  }
}

}  // namespace gapless::lab::exchange

/* Nonblocking messages, all completed at once. */
#include "halo.h"

static void exchange(Halo* halo, int array) {
  const Grid* grid = halo->domain->grid;
  char* base = halo->domain->arrays[0];
  MPI_Request requests[2 * DIRECTIONS];
  int count = 0;
  for (int i = 0; i < grid->receive_count; ++i) {
    const Piece* piece = &halo->receives[array][i];
    const Message* message = &grid->receives[i];
    MPI_Irecv(base + piece->at, piece->count, piece->type, message->peer, message->direction, grid->comm,
              &requests[count++]);
  }
  for (int i = 0; i < grid->send_count; ++i) {
    const Piece* piece = &halo->sends[array][i];
    const Message* message = &grid->sends[i];
    MPI_Isend(base + piece->at, piece->count, piece->type, message->peer, message->direction, grid->comm,
              &requests[count++]);
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

const Call kWaitall = {"waitall", halo_nothing, exchange, halo_nothing};

/* Requests that are made once for each of the two arrays, and started in each exchange. */
#include "halo.h"

static int count_of(const Grid* grid) {
  return grid->receive_count + grid->send_count;
}

static void make(Halo* halo) {
  const Grid* grid = halo->domain->grid;
  char* base = halo->domain->arrays[0];
  for (int array = 0; array < 2; ++array) {
    MPI_Request* request = halo->requests[array];
    for (int i = 0; i < grid->receive_count; ++i) {
      const Piece* piece = &halo->receives[array][i];
      const Message* message = &grid->receives[i];
      MPI_Recv_init(base + piece->at, piece->count, piece->type, message->peer, message->direction, grid->comm,
                    request++);
    }
    for (int i = 0; i < grid->send_count; ++i) {
      const Piece* piece = &halo->sends[array][i];
      const Message* message = &grid->sends[i];
      MPI_Send_init(base + piece->at, piece->count, piece->type, message->peer, message->direction, grid->comm,
                    request++);
    }
  }
}

static void exchange(Halo* halo, int array) {
  const int count = count_of(halo->domain->grid);
  MPI_Startall(count, halo->requests[array]);
  MPI_Waitall(count, halo->requests[array], MPI_STATUSES_IGNORE);
}

static void end(Halo* halo) {
  for (int array = 0; array < 2; ++array)
    for (int i = 0; i < count_of(halo->domain->grid); ++i) MPI_Request_free(&halo->requests[array][i]);
}

const Call kPersistent = {"persistent", make, exchange, end};

/* One collective call with all neighbours: to each its own place, count and type. */
#include "halo.h"

static void take(const Piece* pieces, int count, int* counts, MPI_Aint* places, MPI_Datatype* types) {
  for (int i = 0; i < count; ++i) {
    counts[i] = pieces[i].count;
    places[i] = pieces[i].at;
    types[i] = pieces[i].type;
  }
}

static void make(Halo* halo) {
  const Grid* grid = halo->domain->grid;
  for (int array = 0; array < 2; ++array) {
    take(halo->sends[array], grid->send_count, halo->send_counts[array], halo->send_places[array],
         halo->send_types[array]);
    take(halo->receives[array], grid->receive_count, halo->receive_counts[array], halo->receive_places[array],
         halo->receive_types[array]);
  }
}

static void exchange(Halo* halo, int array) {
  char* base = halo->domain->arrays[0];
  /* One buffer for both: what is sent and what is received never overlap. */
  MPI_Neighbor_alltoallw(base, halo->send_counts[array], halo->send_places[array], halo->send_types[array], base,
                         halo->receive_counts[array], halo->receive_places[array], halo->receive_types[array],
                         halo->domain->grid->comm);
}

const Call kNeighbor = {"neighbor", make, exchange, halo_nothing};

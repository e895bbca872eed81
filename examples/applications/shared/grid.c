#include "grid.h"

#include <stdint.h>

static const int kDirections[DIRECTIONS][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};

void grid_dims(int ranks, int dims[2]) {
  int found[2] = {0, 0};
  MPI_Dims_create(ranks, 2, found); /* the larger first */
  dims[0] = found[1];
  dims[1] = found[0];
}

/* The share of `part` among `parts`: shares differ by one site at most. */
static int share_begin(int sites, int part, int parts) {
  return (int)((int64_t)sites * part / parts);
}

int grid_has(const Grid* grid, int down, int across) {
  const int row = grid->place[0] + down, column = grid->place[1] + across;
  return (grid->periodic[0] || (row >= 0 && row < grid->dims[0])) &&
         (grid->periodic[1] || (column >= 0 && column < grid->dims[1]));
}

static int rank_at(MPI_Comm cart, const Grid* grid, int down, int across) {
  const int place[2] = {grid->place[0] + down, grid->place[1] + across}; /* MPI wraps what is periodic */
  int rank;
  MPI_Cart_rank(cart, place, &rank);
  return rank;
}

/* In one dimension: the sites that a message takes which travels by `step`, and where they arrive. */
static void span(int step, int depth, int sites, int arrives, int* first, int* count) {
  *count = step == 0 ? sites : depth;
  if (step == 0)
    *first = 0;
  else if (arrives)
    *first = step > 0 ? -depth : sites;
  else
    *first = step > 0 ? sites - depth : 0;
}

static Patch patch_of(const Grid* grid, const int step[2], int arrives) {
  Patch patch;
  span(step[0], grid->depth, grid->block_rows, arrives, &patch.first_row, &patch.rows);
  span(step[1], grid->depth, grid->block_columns, arrives, &patch.first_column, &patch.columns);
  return patch;
}

static void list_messages(Grid* grid, MPI_Comm cart) {
  grid->send_count = grid->receive_count = 0;
  for (int d = 0; d < (grid->corners ? DIRECTIONS : DIRECTIONS / 2); ++d) {
    const int* step = kDirections[d];
    if (grid_has(grid, step[0], step[1])) {
      Message* message = &grid->sends[grid->send_count++];
      *message = (Message){rank_at(cart, grid, step[0], step[1]), d, patch_of(grid, step, 0)};
    }
    if (grid_has(grid, -step[0], -step[1])) {
      Message* message = &grid->receives[grid->receive_count++];
      *message = (Message){rank_at(cart, grid, -step[0], -step[1]), d, patch_of(grid, step, 1)};
    }
  }
}

int grid_make(Grid* grid, int rows, int columns, int depth, const int periodic[2], int corners) {
  *grid = (Grid){
      .rows = rows, .columns = columns, .depth = depth, .periodic = {periodic[0], periodic[1]}, .corners = corners};
  MPI_Comm_size(MPI_COMM_WORLD, &grid->ranks);
  grid_dims(grid->ranks, grid->dims);
  if (rows / grid->dims[0] < depth || columns / grid->dims[1] < depth) return 0;
  MPI_Comm cart;
  MPI_Cart_create(MPI_COMM_WORLD, 2, grid->dims, grid->periodic, 0, &cart);
  MPI_Comm_rank(cart, &grid->rank);
  MPI_Cart_coords(cart, grid->rank, 2, grid->place);
  grid->first_row = share_begin(rows, grid->place[0], grid->dims[0]);
  grid->block_rows = share_begin(rows, grid->place[0] + 1, grid->dims[0]) - grid->first_row;
  grid->first_column = share_begin(columns, grid->place[1], grid->dims[1]);
  grid->block_columns = share_begin(columns, grid->place[1] + 1, grid->dims[1]) - grid->first_column;
  list_messages(grid, cart);
  /* A graph, and not the Cartesian communicator itself: it has corners, and where both neighbours are the same process
   * its edges pair by their order, which is that of the directions of travel on either side. It is made of the world,
   * in which ranks are the same: Open MPI 5.0 takes a graph that is made of a grid for a grid, and fails. */
  int to[DIRECTIONS], from[DIRECTIONS];
  const int weights[DIRECTIONS] = {1, 1, 1, 1, 1, 1, 1, 1};
  for (int i = 0; i < grid->send_count; ++i) to[i] = grid->sends[i].peer;
  for (int i = 0; i < grid->receive_count; ++i) from[i] = grid->receives[i].peer;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, grid->receive_count, from, weights, grid->send_count, to, weights,
                                 MPI_INFO_NULL, 0, &grid->comm);
  MPI_Comm_free(&cart);
  return 1;
}

void grid_free(Grid* grid) {
  MPI_Comm_free(&grid->comm);
}

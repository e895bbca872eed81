/* The process grid: a field of rows x columns sites, cut into blocks, one for each rank, and the messages by which
 * each block gets to know the sites around it. */
#ifndef EXAMPLES_APPLICATIONS_GRID_H
#define EXAMPLES_APPLICATIONS_GRID_H

#include <mpi.h>

enum { DIRECTIONS = 8 }; /* four faces, four corners */

/* Sites of a block: `first_row` and `first_column` count from its first own site, and are negative in its halo. */
typedef struct {
  int first_row, first_column, rows, columns;
} Patch;

/* One message: it travels in one of the eight directions, which is its tag too. Two blocks may be neighbours in several
 * directions at once (a torus of two), so the direction, and not the peer, says which message is which. */
typedef struct {
  int peer, direction;
  Patch patch;
} Message;

typedef struct {
  MPI_Comm comm; /* a distributed graph with an edge for each message, in the order of `sends` and `receives` */
  int rank, ranks;
  int dims[2], place[2];         /* ranks, and my place, down and across */
  int periodic[2], corners;      /* whether blocks that touch in a corner exchange it */
  int rows, columns;             /* of the whole field */
  int first_row, first_column;   /* of my block in it */
  int block_rows, block_columns; /* of my block */
  int depth;                     /* rows and columns of halo */
  int send_count, receive_count;
  Message sends[DIRECTIONS], receives[DIRECTIONS];
} Grid;

/* How many ranks down and across: as square as it goes, and where it does not, more across, so that the longer faces
 * are columns, which lie scattered in memory. */
void grid_dims(int ranks, int dims[2]);

/* Cuts the field. Returns 0 if a block has fewer sites
 * across or down than the halo is deep; nothing has to be freed then. */
int grid_make(Grid* grid, int rows, int columns, int depth, const int periodic[2], int corners);
void grid_free(Grid* grid);

/* Whether a block lies beyond mine, `down` (-1, 0, 1) and `across` away. */
int grid_has(const Grid* grid, int down, int across);

#endif

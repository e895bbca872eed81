#include "verify.h"

#include <stdint.h>

#include "hash.h"

enum { TIMES = 2, UNTOUCHED = 0xa5 };

/* Byte `byte` of the site at a row and column of the whole field; another one each time, so that what was received
 * before is not taken for what is received now. */
static unsigned char known(const Grid* grid, int row, int column, size_t byte, int time) {
  const uint64_t place = (uint64_t)row * (uint64_t)grid->columns + (uint64_t)column;
  return (unsigned char)scramble((place * 64 + byte) * 16 + (uint64_t)time);
}

/* In one dimension: -1 before the block, 1 behind it, 0 in it. */
static int side(int at, int sites) {
  return at < 0 ? -1 : at >= sites ? 1 : 0;
}

static int wrapped(int at, int sites) {
  return (at % sites + sites) % sites;
}

static void fill(const Domain* domain, int array, int time) {
  const Grid* grid = domain->grid;
  for (int i = -grid->depth; i < grid->block_rows + grid->depth; ++i)
    for (int j = -grid->depth; j < grid->block_columns + grid->depth; ++j) {
      unsigned char* site = site_at(domain, domain->arrays[array], i, j);
      const int own = side(i, grid->block_rows) == 0 && side(j, grid->block_columns) == 0;
      for (size_t byte = 0; byte < domain->site_bytes; ++byte)
        site[byte] = own ? known(grid, grid->first_row + i, grid->first_column + j, byte, time) : UNTOUCHED;
    }
}

static long long count_wrong(const Domain* domain, int array, int time) {
  const Grid* grid = domain->grid;
  long long wrong = 0;
  for (int i = -grid->depth; i < grid->block_rows + grid->depth; ++i)
    for (int j = -grid->depth; j < grid->block_columns + grid->depth; ++j) {
      const unsigned char* site = site_at(domain, domain->arrays[array], i, j);
      const int down = side(i, grid->block_rows), across = side(j, grid->block_columns);
      const int corner = down != 0 && across != 0;
      const int there = grid_has(grid, down, across) && (!corner || grid->corners);
      const int row = wrapped(grid->first_row + i, grid->rows);
      const int column = wrapped(grid->first_column + j, grid->columns);
      for (size_t byte = 0; byte < domain->site_bytes; ++byte)
        wrong += site[byte] != (there ? known(grid, row, column, byte, time) : UNTOUCHED);
    }
  return wrong;
}

long long wrong_halo_bytes(Halo* halo) {
  long long wrong = 0;
  for (int time = 0; time < TIMES; ++time)
    for (int array = 0; array < 2; ++array) {
      fill(halo->domain, array, time * 2 + array);
      halo_exchange(halo, array);
      wrong += count_wrong(halo->domain, array, time * 2 + array);
    }
  return wrong;
}

/* life: Conway's Game of Life on a torus. A site is a byte, 1 for a living cell; a cell lives in the next step if three
 * of its eight neighbours live, or if two do and it lives itself.
 *
 * The first state is drawn by a hash of each site's place, a third of the cells alive. Everything is whole numbers: the
 * result is the same on any number of ranks.
 *
 *   mpicc -O3 -ffp-contract=off life.c {shared,halo}/?*.c -lm -o life
 *   mpiexec -n 4 ./life --size 1024 --steps 100 --way hand,vector,subarray --call all --verify
 */
#include <stdint.h>

#include "shared/application.h"
#include "shared/hash.h"

static void begin(const Domain* domain) {
  const Grid* grid = domain->grid;
  for (int i = 0; i < grid->block_rows; ++i) {
    uint8_t* row = site_at(domain, domain->arrays[0], i, 0);
    uint64_t place = (uint64_t)(grid->first_row + i) * (uint64_t)grid->columns + (uint64_t)grid->first_column;
    for (int j = 0; j < grid->block_columns; ++j) row[j] = scramble(++place) % 3 == 0;
  }
}

static void step(const Domain* domain, void* from, void* to, Region region) {
  for (int i = region.first_row; i < region.end_row; ++i) {
    const uint8_t* up = site_at(domain, from, i - 1, 0);
    const uint8_t* row = site_at(domain, from, i, 0);
    const uint8_t* down = site_at(domain, from, i + 1, 0);
    uint8_t* restrict next = site_at(domain, to, i, 0);
    for (int j = region.first_column; j < region.end_column; ++j) {
      const uint8_t living =
          (uint8_t)(up[j - 1] + up[j] + up[j + 1] + row[j - 1] + row[j + 1] + down[j - 1] + down[j] + down[j + 1]);
      next[j] = (uint8_t)((living == 3) | ((living == 2) & row[j]));
    }
  }
}

static double living(const Domain* domain, void* array) {
  long long count = 0;
  for (int i = 0; i < domain->grid->block_rows; ++i) {
    const uint8_t* row = site_at(domain, array, i, 0);
    for (int j = 0; j < domain->grid->block_columns; ++j) count += row[j];
  }
  return (double)count;
}

int main(int argc, char** argv) {
  const Application life = {
      .name = "life",
      .what = "Conway's Game of Life on a torus; a site is one byte.",
      .site = {MPI_UINT8_T, sizeof(uint8_t), 1},
      .periodic = {1, 1},
      .corners = 1,
      .rows = 1024,
      .columns = 1024,
      .steps = 100,
      .begin = begin,
      .step = step,
      .gauge_name = "living",
      .gauge_adds = 1,
      .gauge = living,
  };
  return run_application(argc, argv, &life);
}

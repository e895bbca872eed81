/* image: an image is reconstructed from its edges, by relaxation on the lattice of its pixels.
 *
 * What is known of the image are its edges (each pixel's four neighbours less four times itself, which is 0 where the
 * image is even) and its first and last rows beyond the field. From grey, each step sets every pixel to what its
 * neighbours and its edge say it is: (sum of the four neighbours - edge) / 4. That is Jacobi's iteration for the
 * discrete Poisson equation with those edges, and converges to the image. It is a panorama: it closes to a ring from
 * left to right.
 *
 * A pixel holds red, green and blue side by side, three floats. What is printed as `distance` is the greatest
 * difference of any colour to the image itself: it falls from step to step.
 *
 *   mpicc -O3 -ffp-contract=off image.c {shared,halo}/?*.c -lm -o image
 *   mpiexec -n 4 ./image --size 64 --steps 20000
 */
#include <math.h>
#include <stdlib.h>

#include "shared/application.h"

typedef struct {
  float colour[3];
} Pixel;

/* Of each site of the padded block. */
static Pixel* edges;

static int wrapped(int at, int sites) {
  return (at % sites + sites) % sites;
}

/* The image: a wave across, another one down, and a disc of each colour. Made of few operations on whole numbers, so
 * that it has the same bits wherever it is computed. Rows may lie beyond the field, columns wrap. */
static float image_at(const Grid* grid, int row, int column, int colour) {
  const int across = wrapped(column, grid->columns), half = (grid->columns + 1) / 2;
  const float wave = (float)abs(across - half) / (float)half;
  const float shade = (float)(abs(row) % 64) / 64.0F;
  const int down = row - grid->rows * (colour + 1) / 4, aside = across - grid->columns * (colour + 1) / 4;
  const long long radius = (grid->rows < grid->columns ? grid->rows : grid->columns) / 6;
  const int inside = (long long)down * down + (long long)aside * aside < radius * radius;
  return 0.5F * wave + 0.25F * shade + (inside ? 0.25F : 0.0F);
}

static int make(const Domain* domain) {
  const Grid* grid = domain->grid;
  edges = malloc(domain->array_sites * sizeof(Pixel));
  if (edges == NULL) return 0;
  for (int i = -grid->depth; i < grid->block_rows + grid->depth; ++i)
    for (int j = -grid->depth; j < grid->block_columns + grid->depth; ++j) {
      Pixel* edge = site_at(domain, edges, i, j);
      const int row = grid->first_row + i, column = grid->first_column + j;
      for (int c = 0; c < 3; ++c)
        edge->colour[c] = ((image_at(grid, row - 1, column, c) + image_at(grid, row + 1, column, c)) +
                           (image_at(grid, row, column - 1, c) + image_at(grid, row, column + 1, c))) -
                          4.0F * image_at(grid, row, column, c);
    }
  return 1;
}

static void end(void) {
  free(edges);
}

/* Grey, and beyond the first and the last row the image itself, in both arrays: nothing else ever writes there. */
static void begin(const Domain* domain) {
  const Grid* grid = domain->grid;
  for (int array = 0; array < 2; ++array)
    for (int i = -grid->depth; i < grid->block_rows + grid->depth; ++i)
      for (int j = -grid->depth; j < grid->block_columns + grid->depth; ++j) {
        Pixel* pixel = site_at(domain, domain->arrays[array], i, j);
        const int row = grid->first_row + i, column = grid->first_column + j;
        const int known = row < 0 || row >= grid->rows;
        for (int c = 0; c < 3; ++c) pixel->colour[c] = known ? image_at(grid, row, column, c) : 0.5F;
      }
}

static void step(const Domain* domain, void* from, void* to, Region region) {
  const int first = 3 * region.first_column, last = 3 * region.end_column;
  for (int i = region.first_row; i < region.end_row; ++i) {
    /* The row as colours: those of one pixel do not mix. */
    const float* up = site_at(domain, from, i - 1, 0);
    const float* row = site_at(domain, from, i, 0);
    const float* down = site_at(domain, from, i + 1, 0);
    const float* edge = site_at(domain, edges, i, 0);
    float* restrict next = site_at(domain, to, i, 0);
    for (int j = first; j < last; ++j) next[j] = 0.25F * (((up[j] + down[j]) + (row[j - 3] + row[j + 3])) - edge[j]);
  }
}

static double distance(const Domain* domain, void* array) {
  const Grid* grid = domain->grid;
  float most = 0.0F;
  for (int i = 0; i < grid->block_rows; ++i) {
    const Pixel* row = site_at(domain, array, i, 0);
    for (int j = 0; j < grid->block_columns; ++j)
      for (int c = 0; c < 3; ++c)
        most = fmaxf(most, fabsf(row[j].colour[c] - image_at(grid, grid->first_row + i, grid->first_column + j, c)));
  }
  return most;
}

int main(int argc, char** argv) {
  const Application image = {
      .name = "image",
      .what = "Reconstructs an image from its edges, by relaxation; a site is a pixel of three floats.",
      .site = {MPI_FLOAT, sizeof(float), 3},
      .periodic = {0, 1},
      .rows = 1024,
      .columns = 1024,
      .steps = 100,
      .make = make,
      .end = end,
      .begin = begin,
      .step = step,
      .gauge_name = "distance",
      .gauge = distance,
  };
  return run_application(argc, argv, &image);
}

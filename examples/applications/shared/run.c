#include "run.h"

#include "hash.h"
#include "verify.h"

/* What a step computes that is followed by `left` more before the next exchange: my block, and of my neighbours' so
 * much as those steps read. Beyond a border there is nothing to compute. */
static Region region_of(const Domain* domain, int left) {
  const Grid* grid = domain->grid;
  return (Region){-(grid_has(grid, -1, 0) ? left : 0), grid->block_rows + (grid_has(grid, 1, 0) ? left : 0),
                  -(grid_has(grid, 0, -1) ? left : 0), grid->block_columns + (grid_has(grid, 0, 1) ? left : 0)};
}

/* All steps; returns which array holds the result. */
static int all_steps(const Application* application, const Options* options, Halo* halo, Run* run) {
  Domain* domain = halo->domain;
  int current = 0;
  run->exchanges = 0;
  run->exchange_s = 0;
  MPI_Barrier(domain->grid->comm);
  const double start_s = MPI_Wtime();
  for (int k = 0; k < options->steps; ++k) {
    if (k % options->depth == 0) {
      if (options->together) MPI_Barrier(domain->grid->comm);
      const double before_s = MPI_Wtime();
      halo_exchange(halo, current);
      run->exchange_each_s[run->exchanges] = MPI_Wtime() - before_s;
      run->exchange_s += run->exchange_each_s[run->exchanges++];
    }
    const Region region = region_of(domain, options->depth - 1 - k % options->depth);
    application->step(domain, domain->arrays[current], domain->arrays[1 - current], region);
    current = 1 - current;
  }
  run->total_s = MPI_Wtime() - start_s;
  return current;
}

static void to_rank_0(void* values, int count, MPI_Datatype type, MPI_Op op, const Grid* grid) {
  MPI_Reduce(grid->rank == 0 ? MPI_IN_PLACE : values, values, count, type, op, 0, grid->comm);
}

void run_once(const Application* application, const Options* options, Domain* domain, Run* run) {
  const Grid* grid = domain->grid;
  Halo halo;
  halo_make(&halo, domain, run->way, run->call);
  run->wrong = -1;
  if (options->verify) {
    run->wrong = wrong_halo_bytes(&halo);
    to_rank_0(&run->wrong, 1, MPI_LONG_LONG, MPI_SUM, grid);
  }
  application->begin(domain);
  /* First messages also set up connections, and first uses of a type what a library keeps of it: an exchange of each
   * array before the clock starts. What it receives is received again before it is read. */
  halo_exchange(&halo, 0);
  halo_exchange(&halo, 1);
  const int result = all_steps(application, options, &halo, run);
  halo_free(&halo);
  run->hash = block_hash(domain, domain->arrays[result]);
  run->gauge = application->gauge(domain, domain->arrays[result]);
  to_rank_0(&run->hash, 1, MPI_UINT64_T, MPI_SUM, grid);
  to_rank_0(&run->gauge, 1, MPI_DOUBLE, application->gauge_adds ? MPI_SUM : MPI_MAX, grid);
  to_rank_0(&run->total_s, 1, MPI_DOUBLE, MPI_MAX, grid);
  to_rank_0(&run->exchange_s, 1, MPI_DOUBLE, MPI_MAX, grid);
  to_rank_0(run->exchange_each_s, run->exchanges, MPI_DOUBLE, MPI_MAX, grid);
}

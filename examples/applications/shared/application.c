#include "application.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "hash.h"
#include "print.h"

enum { COMBINATIONS = WAYS * CALLS };

/* Shuffles `count` numbers, alike on all ranks. */
static void shuffle(int* numbers, int count, uint64_t seed) {
  for (int i = count - 1; i > 0; --i) {
    seed = scramble(seed + UINT64_C(0x9e3779b97f4a7c15));
    const int other = (int)(seed % (uint64_t)(i + 1)), kept = numbers[i];
    numbers[i] = numbers[other];
    numbers[other] = kept;
  }
}

static long long most_sent_bytes(const Domain* domain) {
  const Grid* grid = domain->grid;
  long long bytes = 0, most = 0;
  for (int i = 0; i < grid->send_count; ++i)
    bytes += (long long)grid->sends[i].patch.rows * grid->sends[i].patch.columns * (long long)domain->site_bytes;
  MPI_Reduce(&bytes, &most, 1, MPI_LONG_LONG, MPI_MAX, 0, grid->comm);
  return most;
}

/* Every way by every call, round by round. Returns 1 on all ranks if anything is wrong. */
static int all_runs(const Application* application, const Options* options, Domain* domain, double* each_s) {
  const Grid* grid = domain->grid;
  const int count = options->way_count * options->call_count;
  const long long bytes = most_sent_bytes(domain);
  int order[COMBINATIONS], wrong = 0;
  Run first = {0};
  for (int i = 0; i < count; ++i) order[i] = i;
  for (int round = 0; round < options->rounds; ++round) {
    shuffle(order, count, (uint64_t)options->seed * 1000003 + (uint64_t)round);
    for (int i = 0; i < count; ++i) {
      Run run = {.round = round, .exchange_each_s = each_s};
      run.way = options->ways[order[i] / options->call_count];
      run.call = options->calls[order[i] % options->call_count];
      run_once(application, options, domain, &run);
      if (grid->rank != 0) continue;
      print_run(application, options, domain, &run, bytes);
      if (first.way == NULL) first = run;
      if (run.wrong > 0 || run.hash != first.hash) wrong = 1;
      if (run.wrong > 0)
        fprintf(stderr, "%s: %s by %s: %lld bytes of halos are wrong\n", application->name, run.way->name,
                run.call->name, run.wrong);
      if (run.hash != first.hash)
        fprintf(stderr, "%s: %s by %s has the hash %016" PRIx64 ", but %s by %s has %016" PRIx64 "\n",
                application->name, run.way->name, run.call->name, run.hash, first.way->name, first.call->name,
                first.hash);
    }
  }
  MPI_Bcast(&wrong, 1, MPI_INT, 0, grid->comm);
  return wrong;
}

static int with_grid(const Application* application, const Options* options, const Grid* grid) {
  Domain domain;
  double* each_s = malloc((size_t)options->steps * sizeof(double));
  int fits = domain_make(&domain, grid, application->site) && each_s != NULL;
  fits = fits && (application->make == NULL || application->make(&domain));
  MPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_INT, MPI_MIN, grid->comm);
  if (!fits) {
    if (grid->rank == 0)
      fprintf(stderr, "%s: not enough memory for %d x %d sites: choose a smaller --size\n", application->name,
              grid->rows, grid->columns);
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }
  const int wrong = all_runs(application, options, &domain, each_s);
  if (application->end != NULL) application->end();
  domain_free(&domain);
  free(each_s);
  return wrong;
}

static int run(const Application* application, const Options* options, int rank, int ranks) {
  Grid grid;
  int dims[2] = {1, 1};
  if (options->weak) grid_dims(ranks, dims);
  /* Deep halos: a step between two exchanges reads the corners of the last one, whatever its own stencil. */
  if (!grid_make(&grid, options->rows * dims[0], options->columns * dims[1], options->depth, application->periodic,
                 application->corners || options->depth > 1)) {
    if (rank == 0)
      fprintf(stderr,
              "%s: %d x %d sites on %d x %d ranks leave blocks smaller than the halo of %d: choose a larger "
              "--size, a smaller --depth, or fewer ranks\n",
              application->name, grid.rows, grid.columns, grid.dims[0], grid.dims[1], options->depth);
    return 2;
  }
  const int status = with_grid(application, options, &grid);
  grid_free(&grid);
  return status;
}

int run_application(int argc, char** argv, const Application* application) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Options options = {.rows = application->rows,
                     .columns = application->columns,
                     .steps = application->steps,
                     .depth = 1,
                     .rounds = 1,
                     .seed = 1,
                     .ways = {&kVector},
                     .way_count = 1,
                     .calls = {&kWaitall},
                     .call_count = 1};
  const Parsed parsed = parse_options(argc, argv, rank, application->name, application->what, &options);
  const int status = parsed == RUN ? run(application, &options, rank, ranks) : parsed == WRONG ? 2 : 0;
  MPI_Finalize();
  return status;
}

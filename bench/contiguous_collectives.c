/* contiguous_collectives: collective calls of contiguous blocks. Such a call gains nothing from the layer, so it must
 * lose nothing either: launches with and without it are compared.
 *
 *   mpiexec -n 2 contiguous_collectives [ITERATIONS]
 *
 * Every call is begun by all together, after a barrier. Prints a line of JSON for each procedure and block: what the
 * call takes on rank 0 in nanoseconds, the median.
 */
/* For clock_gettime where the compiler is held to plain C11. */
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

#include "samples.h"

enum { kWarmup = 60, kIterations = 400, kMaxIterations = 1000000, kElement = 16 };

/* The blocks of one call: `count` elements for each rank, all lists alike in both directions. */
typedef struct {
  char *from, *to;
  int count, *counts, *places, *byte_places;
  MPI_Datatype* types;
} Blocks;

#define CALL(name, ...)                      \
  static void call_##name(const Blocks* b) { \
    const MPI_Datatype type = b->types[0];   \
    MPI_##name(__VA_ARGS__, MPI_COMM_WORLD); \
    (void)type;                              \
  }
CALL(Bcast, b->from, b->count, type, 0)
CALL(Gather, b->from, b->count, type, b->to, b->count, type, 0)
CALL(Scatter, b->from, b->count, type, b->to, b->count, type, 0)
CALL(Allgather, b->from, b->count, type, b->to, b->count, type)
CALL(Alltoall, b->from, b->count, type, b->to, b->count, type)
CALL(Gatherv, b->from, b->count, type, b->to, b->counts, b->places, type, 0)
CALL(Scatterv, b->from, b->counts, b->places, type, b->to, b->count, type, 0)
CALL(Allgatherv, b->from, b->count, type, b->to, b->counts, b->places, type)
CALL(Alltoallv, b->from, b->counts, b->places, type, b->to, b->counts, b->places, type)
CALL(Alltoallw, b->from, b->counts, b->byte_places, b->types, b->to, b->counts, b->byte_places, b->types)
#undef CALL

static const struct {
  const char* name;
  void (*call)(const Blocks* b);
} kCalls[] = {
    {"Bcast", call_Bcast},         {"Gather", call_Gather},         {"Scatter", call_Scatter},
    {"Allgather", call_Allgather}, {"Alltoall", call_Alltoall},     {"Gatherv", call_Gatherv},
    {"Scatterv", call_Scatterv},   {"Allgatherv", call_Allgatherv}, {"Alltoallv", call_Alltoallv},
    {"Alltoallw", call_Alltoallw},
};
static const int kBytes[] = {256, 16 << 10, 128 << 10};

static void* room(size_t bytes) {
  void* const made = calloc(bytes, 1);
  if (made == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  return made;
}

static void measure(int rank, int ranks, int bytes, int iterations) {
  const size_t n = (size_t)ranks;
  Blocks b = {room(n * (size_t)bytes),       room(n * (size_t)bytes), bytes / kElement,
              room(n * sizeof(int)),         room(n * sizeof(int)),   room(n * sizeof(int)),
              room(n * sizeof(MPI_Datatype))};
  double* const samples_ns = room((size_t)iterations * sizeof(double));
  for (int k = 0; k < ranks; ++k) {
    b.counts[k] = b.count;
    b.places[k] = k * b.count;
    b.byte_places[k] = k * bytes;
    b.types[k] = MPI_C_DOUBLE_COMPLEX;
  }
  for (size_t which = 0; which < sizeof kCalls / sizeof kCalls[0]; ++which) {
    for (int k = -kWarmup; k < iterations; ++k) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double start_ns = now_ns();
      kCalls[which].call(&b);
      if (k >= 0) samples_ns[k] = now_ns() - start_ns;
    }
    qsort(samples_ns, (size_t)iterations, sizeof(double), by_value);
    if (rank == 0) {
      printf("{\"call\":\"%s\",\"bytes\":%d,\"ns_median\":%.1f}\n", kCalls[which].name, bytes,
             samples_ns[iterations / 2]);
    }
  }
  free(b.from);
  free(b.to);
  free(b.counts);
  free(b.places);
  free(b.byte_places);
  free(b.types);
  free(samples_ns);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, status = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char* end = NULL;
  const long iterations = argc > 1 ? strtol(argv[1], &end, 10) : kIterations;
  if (argc > 2 || (argc == 2 && (end == argv[1] || *end != '\0')) || iterations < 1 || iterations > kMaxIterations) {
    if (rank == 0) {
      fprintf(stderr, "usage: mpiexec -n 2 contiguous_collectives [ITERATIONS, 1 to %d, default %d]\n", kMaxIterations,
              kIterations);
    }
    status = 2;
  } else {
    for (size_t k = 0; k < sizeof kBytes / sizeof kBytes[0]; ++k) measure(rank, ranks, kBytes[k], (int)iterations);
  }
  MPI_Finalize();
  return status;
}

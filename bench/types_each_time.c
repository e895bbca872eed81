/* types_each_time: the life of a small derived type in a program that makes one for each message: create, commit, send,
 * free.
 *
 *   mpiexec -n 2 types_each_time [ROUNDS]
 *
 * Prints a line of JSON for each kind of type: nanoseconds of each step on rank 0, medians over the rounds. Rank 1
 * receives contiguous data and compares them.
 */
/* For clock_gettime where the compiler is held to plain C11. */
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>

#include <string.h>

#include "samples.h"

enum { kWarmup = 200, kDefaultRounds = 4000, kElements = 16, kSpan = 64, kSteps = 5, kKinds = 4 };

static const char* const kStepNames[kSteps] = {"create_ns", "commit_ns", "send_ns", "free_ns", "all_ns"};
static const char* const kKindNames[kKinds] = {"vector", "indexed", "struct", "nested"};

/* Each has 16 doubles. */
static MPI_Datatype create(int kind) {
  MPI_Datatype type, part;
  if (kind == 0) {
    MPI_Type_vector(kElements, 1, 4, MPI_DOUBLE, &type);
  } else if (kind == 1) {
    const int lengths[] = {3, 1, 4, 1, 5, 2}, displacements[] = {0, 5, 9, 16, 20, 40};
    MPI_Type_indexed(6, lengths, displacements, MPI_DOUBLE, &type);
  } else if (kind == 2) {
    const int lengths[] = {6, 8, 2};
    const MPI_Aint displacements[] = {0, 64, 256};
    const MPI_Datatype members[] = {MPI_DOUBLE, MPI_DOUBLE, MPI_DOUBLE};
    MPI_Type_create_struct(3, lengths, displacements, members, &type);
  } else {
    MPI_Type_vector(4, 1, 2, MPI_DOUBLE, &part);
    MPI_Type_create_hvector(4, 1, 128, part, &type);
    MPI_Type_free(&part);
  }
  return type;
}

static double median(double* samples, int n) {
  qsort(samples, (size_t)n, sizeof(double), by_value);
  return (samples[(n - 1) / 2] + samples[n / 2]) / 2;
}

static void send_rounds(int kind, int rounds, const double* from, double* samples) {
  for (int k = -kWarmup; k < rounds; ++k) {
    double at[kSteps];
    char go;
    /* The receiver waits: a send that would have to be kept by the library would be another thing. */
    MPI_Recv(&go, 1, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    at[0] = now_ns();
    MPI_Datatype type = create(kind);
    at[1] = now_ns();
    MPI_Type_commit(&type);
    at[2] = now_ns();
    MPI_Send(from, 1, type, 1, 0, MPI_COMM_WORLD);
    at[3] = now_ns();
    MPI_Type_free(&type);
    at[4] = now_ns();
    if (k < 0) continue;
    for (int step = 0; step < kSteps - 1; ++step) samples[step * rounds + k] = at[step + 1] - at[step];
    samples[(kSteps - 1) * rounds + k] = at[4] - at[0];
  }
}

static void receive_rounds(int kind, int rounds, const double* from) {
  MPI_Datatype type = create(kind);
  MPI_Type_commit(&type);
  double expected[kElements], got[kElements];
  int position = 0;
  PMPI_Pack(from, 1, type, expected, sizeof expected, &position, MPI_COMM_SELF);
  for (int k = -kWarmup; k < rounds; ++k) {
    char go = 0;
    MPI_Send(&go, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    memset(got, 0, sizeof got);
    MPI_Recv(got, kElements, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (memcmp(got, expected, sizeof got) != 0) fail("the wrong data came");
  }
  MPI_Type_free(&type);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rounds = argc == 2 ? atoi(argv[1]) : kDefaultRounds;
  if (ranks != 2 || rounds < 1 || argc > 2) {
    if (rank == 0) fprintf(stderr, "usage: mpiexec -n 2 types_each_time [ROUNDS]\n");
    MPI_Finalize();
    return 2;
  }
  double from[kSpan];
  for (int k = 0; k < kSpan; ++k) from[k] = k + 1;
  double* const samples = (double*)malloc((size_t)rounds * kSteps * sizeof(double));
  if (samples == NULL) fail("out of memory");
  for (int kind = 0; kind < kKinds; ++kind) {
    if (rank == 1) {
      receive_rounds(kind, rounds, from);
      continue;
    }
    send_rounds(kind, rounds, from, samples);
    printf("{\"type\":\"%s\"", kKindNames[kind]);
    for (int step = 0; step < kSteps; ++step)
      printf(",\"%s\":%.1f", kStepNames[step], median(samples + step * rounds, rounds));
    printf("}\n");
    fflush(stdout);
  }
  free(samples);
  MPI_Finalize();
  return 0;
}

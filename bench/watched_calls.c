/* watched_calls: the time of one MPI call that has no partner.
 *
 *   watched_calls REPETITIONS
 *
 * For the price of watching (gapless profile): the same program natively and watched. Starts alone, without mpiexec, or
 * with any number of processes, of which each calls for itself. Prints one line of JSON of rank 0: for each kind of
 * call the nanoseconds of one, in each repetition.
 */
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>

#include "samples.h"

enum { kCalls = 20000, kBlocks = 64, kTypes = 200, kMaxRepetitions = 10000 };

static double data[2 * kBlocks];
static MPI_Datatype vector, types[kTypes];

static void contiguous(void) {
  MPI_Send(data, 8, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

static void derived(void) {
  MPI_Send(data, 1, vector, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

static void many_types(void) {
  static int next = 0;
  MPI_Send(data, 1, types[next], MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  next = (next + 1) % kTypes;
}

static void exchange(void) {
  MPI_Sendrecv(data, 1, vector, MPI_PROC_NULL, 0, data + kBlocks, 8, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

static void start_and_wait(void) {
  MPI_Request request;
  MPI_Isend(data, 1, vector, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void several(void) {
  MPI_Request requests[8];
  for (int k = 0; k < 8; ++k) MPI_Irecv(data, 1, vector, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[k]);
  MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

static void broadcast(void) {
  MPI_Bcast(data, 1, vector, 0, MPI_COMM_SELF);
}

static void each_to_each(void) {
  MPI_Alltoall(data, 1, MPI_DOUBLE, data + kBlocks, 1, MPI_DOUBLE, MPI_COMM_SELF);
}

/* `calls`: of MPI, in one of ours. */
static const struct {
  const char* name;
  void (*call)(void);
  int calls;
} kCases[] = {{"MPI_Send, contiguous", contiguous, 1},       {"MPI_Send, vector", derived, 1},
              {"MPI_Send, 200 types", many_types, 1},        {"MPI_Sendrecv, vector", exchange, 1},
              {"MPI_Isend and MPI_Wait", start_and_wait, 2}, {"8 MPI_Irecv and MPI_Waitall", several, 9},
              {"MPI_Bcast, vector", broadcast, 1},           {"MPI_Alltoall, contiguous", each_to_each, 1}};
enum { kCaseCount = sizeof kCases / sizeof kCases[0] };

int main(int argc, char** argv) {
  static double samples[kCaseCount][kMaxRepetitions];
  const int repetitions = argc == 2 ? atoi(argv[1]) : 0;
  if (repetitions < 1 || repetitions > kMaxRepetitions) {
    fprintf(stderr, "usage: watched_calls REPETITIONS (1 to %d)\n", kMaxRepetitions);
    return 2;
  }
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_vector(kBlocks, 1, 2, MPI_DOUBLE, &vector);
  MPI_Type_commit(&vector);
  for (int t = 0; t < kTypes; ++t) {
    MPI_Type_vector(1 + t % kBlocks, 1, 2 + t / kBlocks, MPI_FLOAT, &types[t]);
    MPI_Type_commit(&types[t]);
  }
  for (int r = 0; r < repetitions; ++r) {
    for (int c = 0; c < kCaseCount; ++c) {
      const double from = now_ns();
      for (int k = 0; k < kCalls; ++k) kCases[c].call();
      samples[c][r] = (now_ns() - from) / kCalls / kCases[c].calls;
    }
  }
  MPI_Type_free(&vector);
  for (int t = 0; t < kTypes; ++t) MPI_Type_free(&types[t]);
  if (rank == 0) {
    printf("{\"calls\": %d", kCalls);
    for (int c = 0; c < kCaseCount; ++c) print_samples(kCases[c].name, samples[c], repetitions);
    printf("}\n");
  }
  MPI_Finalize();
  return 0;
}

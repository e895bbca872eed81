/* latency8: ping-pong of contiguous bytes (8 by default) between two ranks. Such a message gains nothing from the
 * layer, so it must lose nothing either: launches with and without it are compared.
 *
 *   mpiexec -n 2 latency8 [BYTES [ITERATIONS [MESSAGES]]]
 *
 * With more than one message at a time they go by MPI_Isend, MPI_Irecv and MPI_Waitall, else by MPI_Send and MPI_Recv.
 * Prints one line of JSON: half of the round trip on rank 0 in nanoseconds, the median and the mean of each batch.
 */
/* For clock_gettime where the compiler is held to plain C11. */
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

#include "samples.h"

/* The clock costs some 20 ns: it is read once in a batch of so many round trips. */
enum {
  kBatch = 100,
  kWarmupBatches = 10,
  kDefaultBytes = 8,
  kDefaultIterations = 20000,
  kMaxBytes = 1 << 20,
  kMaxMessages = 100
};

static void send(char* from, int bytes, int peer, int messages) {
  MPI_Request requests[kMaxMessages];
  if (messages == 1) {
    MPI_Send(from, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
    return;
  }
  for (int k = 0; k < messages; ++k) MPI_Isend(from, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[k]);
  MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE);
}

static void receive(char* to, int bytes, int peer, int messages) {
  MPI_Request requests[kMaxMessages];
  if (messages == 1) {
    MPI_Recv(to, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  for (int k = 0; k < messages; ++k)
    MPI_Irecv(to + (size_t)k * (size_t)bytes, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[k]);
  MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE);
}

static void batch(char* from, char* to, int bytes, int rank, int messages) {
  for (int k = 0; k < kBatch; ++k) {
    if (rank == 0) {
      send(from, bytes, 1, messages);
      receive(to, bytes, 1, messages);
    } else {
      receive(to, bytes, 0, messages);
      send(from, bytes, 0, messages);
    }
  }
}

static int measure(int rank, int bytes, int iterations, int messages) {
  const int batches = iterations / kBatch;
  char *from = calloc((size_t)bytes + 1, 1), *to = calloc((size_t)bytes * (size_t)messages + 1, 1);
  double* samples_ns = malloc((size_t)batches * sizeof(double));
  double* sorted_ns = malloc((size_t)batches * sizeof(double));
  if (from == NULL || to == NULL || samples_ns == NULL || sorted_ns == NULL) MPI_Abort(MPI_COMM_WORLD, 1);

  MPI_Barrier(MPI_COMM_WORLD);
  for (int k = 0; k < kWarmupBatches; ++k) batch(from, to, bytes, rank, messages);
  for (int k = 0; k < batches; ++k) {
    const double start_ns = now_ns();
    batch(from, to, bytes, rank, messages);
    sorted_ns[k] = samples_ns[k] = (now_ns() - start_ns) / (2.0 * kBatch);
  }

  if (rank == 0) {
    qsort(sorted_ns, (size_t)batches, sizeof(double), by_value);
    const double median_ns = (sorted_ns[(batches - 1) / 2] + sorted_ns[batches / 2]) / 2;
    printf("{\"bytes\":%d,\"messages\":%d,\"iterations\":%d,\"half_round_trip_ns_median\":%.2f,\"samples\":[", bytes,
           messages, batches * kBatch, median_ns);
    for (int k = 0; k < batches; ++k) printf("%s%.2f", k == 0 ? "" : ",", samples_ns[k]);
    printf("]}\n");
  }
  free(from);
  free(to);
  free(samples_ns);
  free(sorted_ns);
  return 0;
}

/* The number in argv[k], the default if there is none, -1 if it is no number from low to high. */
static int argument(int argc, char** argv, int k, int otherwise, int low, int high) {
  if (k >= argc) return otherwise;
  char* end = NULL;
  const long value = strtol(argv[k], &end, 10);
  return end == argv[k] || *end != '\0' || value < low || value > high ? -1 : (int)value;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, status = 2;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int bytes = argument(argc, argv, 1, kDefaultBytes, 0, kMaxBytes);
  const int iterations = argument(argc, argv, 2, kDefaultIterations, kBatch, 100000000);
  const int messages = argument(argc, argv, 3, 1, 1, kMaxMessages);
  if (argc > 4 || bytes < 0 || iterations < 0 || messages < 0 || ranks != 2) {
    if (rank == 0)
      fprintf(stderr,
              "usage: mpiexec -n 2 latency8 [BYTES [ITERATIONS [MESSAGES]]]\n"
              "Exactly 2 ranks (there are %d), 0 to %d bytes (default %d), at least %d iterations (default %d),\n"
              "1 to %d messages at a time (default 1).\n",
              ranks, kMaxBytes, kDefaultBytes, kBatch, kDefaultIterations, kMaxMessages);
  } else {
    status = measure(rank, bytes, iterations, messages);
  }
  MPI_Finalize();
  return status;
}

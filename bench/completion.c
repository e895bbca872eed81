/* completion: what one call of MPI_Wait or MPI_Test costs while other requests are outstanding.
 *
 *   mpiexec -n 1 completion [BATCHES]
 *
 * wait: on a receive of 8 bytes whose message has come; test: on one whose message has not. Among no other requests,
 * among 1000 receives of contiguous bytes that never end, and among 1000 of a derived type that the layer stages (then
 * its table is full). Prints a line of JSON for each: nanoseconds a call, the median of the batches.
 */
/* For clock_gettime where the compiler is held to plain C11. */
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>

#include <string.h>

#include "samples.h"

enum { kBatch = 64, kWarmupBatches = 50, kDefaultBatches = 2000, kBlocks = 1024, kOutstanding = 1000 };

static MPI_Request outstanding[kOutstanding];
static MPI_Request requests[kBatch];
static char from[kBatch][8], to[kBatch][8];

static void post(MPI_Comm comm) {
  for (int k = 0; k < kBatch; ++k) MPI_Irecv(to[k], 8, MPI_BYTE, 0, k, comm, &requests[k]);
}

static double batch_of_waits(MPI_Comm comm) {
  post(comm);
  for (int k = 0; k < kBatch; ++k) MPI_Send(from[k], 8, MPI_BYTE, 0, k, comm);
  const double start_ns = now_ns();
  for (int k = 0; k < kBatch; ++k) MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
  return (now_ns() - start_ns) / kBatch;
}

static double batch_of_tests(void) {
  int done = 0, any = 0;
  const double start_ns = now_ns();
  for (int k = 0; k < kBatch; ++k) {
    MPI_Test(&requests[k], &done, MPI_STATUS_IGNORE);
    any |= done;
  }
  const double ns = (now_ns() - start_ns) / kBatch;
  if (any) fail("a receive without a message has ended");
  return ns;
}

static void end_all(MPI_Request* list, int n) {
  for (int k = 0; k < n; ++k) MPI_Cancel(&list[k]);
  MPI_Waitall(n, list, MPI_STATUSES_IGNORE);
}

/* The median over the batches, with so many other receives of this type posted. */
static double measure(int waits, int others, int count, MPI_Datatype type, MPI_Comm comm, double* room, int batches,
                      double* samples_ns) {
  /* The timed receives come first in the library's queue: it is not its search that is measured. */
  if (!waits) post(MPI_COMM_SELF);
  for (int k = 0; k < others; ++k) MPI_Irecv(room, count, type, 0, k, comm, &outstanding[k]);
  for (int k = -kWarmupBatches; k < batches; ++k) {
    const double ns = waits ? batch_of_waits(MPI_COMM_SELF) : batch_of_tests();
    if (k >= 0) samples_ns[k] = ns;
  }
  end_all(outstanding, others);
  if (!waits) end_all(requests, kBatch);
  qsort(samples_ns, (size_t)batches, sizeof(double), by_value);
  return (samples_ns[(batches - 1) / 2] + samples_ns[batches / 2]) / 2;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int batches = argc == 2 ? atoi(argv[1]) : kDefaultBatches;
  if (batches < 1 || argc > 2) {
    fprintf(stderr, "usage: mpiexec -n 1 completion [BATCHES]\n");
    MPI_Finalize();
    return 2;
  }
  MPI_Comm other;
  MPI_Datatype derived;
  MPI_Comm_dup(MPI_COMM_SELF, &other);
  MPI_Type_vector(kBlocks, 1, 2, MPI_DOUBLE, &derived);
  MPI_Type_commit(&derived);
  double* const room = (double*)calloc(2 * kBlocks, sizeof(double));
  double* const samples_ns = (double*)malloc((size_t)batches * sizeof(double));
  if (room == NULL || samples_ns == NULL) fail("out of memory");
  for (int waits = 1; waits >= 0; --waits) {
    const char* const call = waits ? "Wait" : "Test";
    printf("{\"call\":\"%s\",\"among\":\"none\",\"ns_median\":%.2f}\n", call,
           measure(waits, 0, 0, MPI_BYTE, other, room, batches, samples_ns));
    printf("{\"call\":\"%s\",\"among\":\"1000 contiguous\",\"ns_median\":%.2f}\n", call,
           measure(waits, kOutstanding, kBlocks, MPI_DOUBLE, other, room, batches, samples_ns));
    printf("{\"call\":\"%s\",\"among\":\"1000 staged\",\"ns_median\":%.2f}\n", call,
           measure(waits, kOutstanding, 1, derived, other, room, batches, samples_ns));
  }
  free(room);
  free(samples_ns);
  MPI_Type_free(&derived);
  MPI_Comm_free(&other);
  MPI_Finalize();
  return 0;
}

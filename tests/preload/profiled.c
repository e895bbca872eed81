/* profiled: a program of which is known what it sends, for tests of `gapless profile`.
 *
 *   mpiexec -n 2 profiled [all|plain|abort]
 *
 * plain: no derived datatype. abort: rank 1 ends by a signal between its messages. What is checked against it stands in
 * tests/python/test_profile.py. Prints the time [ns] between MPI_Init and MPI_Finalize, by its own clock, and that of
 * its MPI_Send with MPI_Recv.
 */
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  kVectors = 10,
  kIndexed = 7,
  kStructs = 5,
  kStarts = 6,
  kBytes = 11,
  kReversed = 2,
  kCollectives = 3,
  kDoubles = 1024
};

static double out[2 * kDoubles], in[2 * kDoubles];

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void send_or_receive(int rank, MPI_Datatype type, int count, MPI_Comm comm, int other) {
  if (rank == 0)
    MPI_Send(out, count, type, other, 0, comm);
  else
    MPI_Recv(in, count, type, other, 0, comm, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "all";
  MPI_Init(&argc, &argv);
  const double begin = now_ns();
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int other = 1 - rank;
  double exchange = now_ns();
  for (int k = 0; k < kBytes; ++k) send_or_receive(rank, MPI_BYTE, 8, MPI_COMM_WORLD, other);
  if (strcmp(what, "plain") == 0) {
    MPI_Finalize();
    return 0;
  }

  MPI_Datatype vector, indexed, structure, half;
  MPI_Type_vector(kDoubles, 1, 2, MPI_DOUBLE, &vector);
  MPI_Type_commit(&vector);
  const int lengths[] = {1, 2, 3}, displacements[] = {0, 4, 9};
  MPI_Type_indexed(3, lengths, displacements, MPI_INT, &indexed);
  MPI_Type_commit(&indexed);
  const int blocks[] = {1, 1};
  const MPI_Aint offsets[] = {0, 8};
  const MPI_Datatype members[] = {MPI_CHAR, MPI_DOUBLE};
  MPI_Type_create_struct(2, blocks, offsets, members, &structure);
  MPI_Type_commit(&structure);
  const int sizes[] = {8, 8}, subsizes[] = {8, 4}, starts[] = {0, 2};
  MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &half);
  MPI_Type_commit(&half);

  exchange = now_ns();
  for (int k = 0; k < kVectors; ++k) send_or_receive(rank, vector, 1, MPI_COMM_WORLD, other);
  exchange = now_ns() - exchange;
  if (strcmp(what, "abort") == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) abort();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (int k = 0; k < kIndexed; ++k) {
    MPI_Request requests[2];
    MPI_Irecv(in, 3, indexed, other, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 3, indexed, other, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  for (int k = 0; k < kStructs; ++k)
    MPI_Sendrecv(out, 4, structure, other, 2, in, 64, MPI_BYTE, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

  /* The other member has another rank in this communicator than in the world. */
  MPI_Comm reversed;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  for (int k = 0; k < kReversed; ++k) send_or_receive(rank, half, 1, reversed, rank == 0 ? 0 : 1);
  MPI_Comm_free(&reversed);

  /* Each is rank 0 of its own group: the receiver's root has the receiver's own number. */
  MPI_Comm between;
  MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, other, 4, &between);
  MPI_Bcast(in, 2, indexed, rank == 0 ? MPI_ROOT : 0, between);
  MPI_Comm_free(&between);

  MPI_Request persistent;
  if (rank == 0)
    MPI_Send_init(out, 2, half, other, 3, MPI_COMM_WORLD, &persistent);
  else
    MPI_Recv_init(in, 2, half, other, 3, MPI_COMM_WORLD, &persistent);
  for (int k = 0; k < kStarts; ++k) {
    MPI_Start(&persistent);
    MPI_Wait(&persistent, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&persistent);

  for (int k = 0; k < kCollectives; ++k) {
    MPI_Bcast(in, 1, vector, 0, MPI_COMM_WORLD);
    MPI_Gather(out, 1, half, in, 32, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    const int counts[] = {1, 1}, places[] = {0, 1024};
    const MPI_Datatype types[] = {half, structure};
    const MPI_Datatype mine[] = {rank == 0 ? half : structure, rank == 0 ? half : structure};
    MPI_Alltoallw(out, counts, places, types, in, counts, places, mine, MPI_COMM_WORLD);
  }
  int position = 0;
  MPI_Pack(out, 1, half, in, (int)sizeof in, &position, MPI_COMM_WORLD);

  MPI_Type_free(&vector);
  MPI_Type_free(&indexed);
  MPI_Type_free(&structure);
  MPI_Type_free(&half);
  if (rank == 0) printf("{\"whole_ns\":%.0f,\"exchange_ns\":%.0f}\n", now_ns() - begin, exchange);
  MPI_Finalize();
  return 0;
}

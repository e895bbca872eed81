/* A program that is linked with the layer: usage linked_test MODE, on two ranks. The data must be right in every mode.
 *   layer    sends and receives are accelerated, blocking and nonblocking, and each call is counted once
 *   native   nonblocking receives stay the library's own (a static MPI whose PMPI_ names are not wrapped)
 *   plain    there is no layer
 * Plain C: a program need not be C++ to be linked with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(GAPLESS_ABI_STANDARD)
#include <mpi_abi.h>
#else
#include <mpi.h>
#endif

#include "gapless/gapless_layer.h"

/* Weak: the same source is linked without the layer too. */
#pragma weak GAPLESS_Count
#pragma weak GAPLESS_Switch

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
      fflush(stderr);                                                         \
      _Exit(1);                                                               \
    }                                                                         \
  } while (0)

enum { kColumns = 16, kRows = 4096, kRounds = 5 };
static int field[kRows * kColumns];

static void fill(int seed) {
  for (int k = 0; k < kRows * kColumns; ++k) field[k] = seed < 0 ? -1 : seed + k;
}

static void check(int seed) {
  for (int k = 0; k < kRows * kColumns; ++k) CHECK(field[k] == (k % kColumns == 0 ? seed + k : -1));
}

static void expect(const char* procedure, long long calls, long long accelerated) {
  GAPLESS_Counters seen;
  CHECK(GAPLESS_Count(procedure, &seen) == 0);
  if (seen.calls != calls || seen.accelerated != accelerated) {
    fprintf(stderr, "%s: %lld calls, %lld accelerated; expected %lld, %lld\n", procedure, seen.calls, seen.accelerated,
            calls, accelerated);
    _Exit(1);
  }
}

int main(int argc, char** argv) {
  const char* const mode = argc > 1 ? argv[1] : "layer";
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(size == 2);
  MPI_Datatype column;
  MPI_Type_vector(kRows, 1, kColumns, MPI_INT, &column);
  MPI_Type_commit(&column);

  for (int round = 0; round < kRounds; ++round) {
    fill(rank == 0 ? round : -1);
    if (rank == 0) {
      MPI_Send(field, 1, column, 1, 1, MPI_COMM_WORLD);
    } else {
      MPI_Recv(field, 1, column, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      check(round);
    }
    /* Completed under both names: a receive that the layer took over must be unpacked in either. */
    for (int profiled = 0; profiled < 2; ++profiled) {
      fill(rank == 0 ? round : -1);
      MPI_Request request;
      if (rank == 0) {
        MPI_Isend(field, 1, column, 1, 2, MPI_COMM_WORLD, &request);
      } else {
        MPI_Irecv(field, 1, column, 0, 2, MPI_COMM_WORLD, &request);
      }
      if (profiled) {
        PMPI_Wait(&request, MPI_STATUS_IGNORE);
      } else {
        MPI_Status status;
        MPI_Waitall(1, &request, &status);
      }
      if (rank == 1) check(round);
    }
  }
  int packed[kRows], position = 0;
  fill(7);
  MPI_Pack(field, 1, column, packed, sizeof packed, &position, MPI_COMM_WORLD);
  CHECK(position == (int)sizeof packed);
  for (int k = 0; k < kRows; ++k) CHECK(packed[k] == 7 + k * kColumns);

  if (strcmp(mode, "plain") == 0) {
    CHECK(GAPLESS_Count == NULL && GAPLESS_Switch == NULL);
  } else {
    CHECK(GAPLESS_Count != NULL && GAPLESS_Switch != NULL);
    const int receives = strcmp(mode, "layer") == 0;
    expect(rank == 0 ? "MPI_Send" : "MPI_Recv", kRounds, kRounds);
    expect(rank == 0 ? "MPI_Isend" : "MPI_Irecv", 2 * kRounds, rank == 0 || receives ? 2 * kRounds : 0);
    expect("MPI_Pack", 1, 1);
    expect("kernel", 0, 0);  // messages of a few words go no such way
    expect("direct", 0, 0);
    GAPLESS_Counters none;
    CHECK(GAPLESS_Count("offered", &none) == 1 && GAPLESS_Count("MPI_None", &none) == 1);
    CHECK(GAPLESS_Switch(0) == 1);
  }
  MPI_Type_free(&column);
  MPI_Finalize();
  return 0;
}

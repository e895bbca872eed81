// A library that uses MPI, to be opened and closed by plugin_host. Built as a shared object.
#include <mpi.h>

extern "C" int plugin_exchange(int stride) {
  int rank, from[400], to[400];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int k = 0; k < 400; ++k) from[k] = k + 1000 * rank, to[k] = -1;
  MPI_Datatype column;
  MPI_Type_vector(40, 1, stride, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Request requests[2];
  MPI_Irecv(to, 1, column, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(from, 1, column, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Type_free(&column);
  for (int k = 0; k < 40 * stride; ++k) {
    if (to[k] != (k % stride == 0 ? k + 1000 * (1 - rank) : -1)) return 1 + k;
  }
  return 0;
}

/* A column of a matrix from rank 0 to rank 1: what a wheel's layer must carry. Says how many numbers are wrong. */
#include <mpi.h>
#include <stdio.h>
static int field[512 * 512];
int main(void) {
  int rank, wrong = 0;
  MPI_Datatype column;
  MPI_Init(0, 0);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_vector(512, 16, 512, MPI_INT, &column);
  MPI_Type_commit(&column);
  for (int k = 0; k < 512 * 512; ++k) field[k] = rank == 0 ? k : -1;
  if (rank == 0) MPI_Send(field, 1, column, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Recv(field, 1, column, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int k = 0; k < 512 * 512; ++k) wrong += field[k] != (k % 512 < 16 ? k : -1);
    printf("wrong %d\n", wrong);
  }
  MPI_Type_free(&column);
  MPI_Finalize();
  return wrong != 0;
}

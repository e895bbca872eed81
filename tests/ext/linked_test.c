/* A program in C as a user writes it, with nothing but what is installed. */
#include <gapless/gapless_mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  double matrix[4][5], column[4], back[4][5];
  MPI_Datatype one_column;
  int row, equal = 0, failed = 0;
  MPI_Count moved = 0;
  MPI_Init(&argc, &argv);
  for (row = 0; row < 4; ++row) matrix[row][2] = row + 0.5;
  memset(back, 0, sizeof back);
  /* 16 elements are three whole rows and the element of the fourth one. */
  GAPLESS_Type_create_vector_bounded(16, 1, 5, MPI_DOUBLE, &one_column);
  MPI_Type_commit(&one_column);
  GAPLESS_Copy(&matrix[0][2], 1, one_column, column, 4, MPI_DOUBLE);
  GAPLESS_Copy(&matrix[0][2], 1, one_column, &back[0][2], 1, one_column);
  for (row = 0; row < 4; ++row) failed |= column[row] != row + 0.5 || back[row][2] != row + 0.5 || back[row][1] != 0;
  GAPLESS_Pack_at(&matrix[0][2], 1, one_column, 2 * sizeof(double), column, sizeof(double), &moved);
  failed |= moved != (MPI_Count)sizeof(double) || column[0] != 2.5;
  GAPLESS_Type_equal(one_column, one_column, &equal);
  failed |= equal != 1;
  MPI_Type_free(&one_column);
  MPI_Finalize();
  printf("linked_test: %s\n", failed ? "failed" : "passed");
  return failed;
}

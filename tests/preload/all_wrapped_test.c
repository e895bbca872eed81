/* Uses nothing of MPI that the layer does not define: --as-needed drops the MPI library from such a program. */
#if defined(GAPLESS_ABI_STANDARD)
#include <mpi_abi.h>
#else
#include <mpi.h>
#endif

int main(int argc, char** argv) {
  char out[8];
  int value = 42, position = 0;
  MPI_Init(&argc, &argv);
  MPI_Pack(&value, 1, MPI_INT, out, sizeof out, &position, MPI_COMM_WORLD);
  MPI_Finalize();
  return position == sizeof value ? 0 : 1;
}

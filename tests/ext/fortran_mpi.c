/* What fortran_test.f90 takes of MPI. The MPI libraries of PyPI have no part for Fortran; a handle of Fortran is what
 * MPI_Type_c2f says, with them too. */
#include <mpi.h>
#include <stddef.h>

int begin_mpi(void) {
  const int code = MPI_Init(NULL, NULL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  return code;
}

int end_mpi(void) {
  return MPI_Finalize();
}

int rank_of_world(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int size_of_world(void) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

MPI_Fint handle_of_world(void) {
  return MPI_Comm_c2f(MPI_COMM_WORLD);
}
MPI_Fint handle_of_int(void) {
  return MPI_Type_c2f(MPI_INT);
}
MPI_Fint handle_of_null(void) {
  return MPI_Type_c2f(MPI_DATATYPE_NULL);
}

void commit_type(MPI_Fint handle) {
  MPI_Datatype type = MPI_Type_f2c(handle);
  MPI_Type_commit(&type);
}

void free_type(MPI_Fint handle) {
  MPI_Datatype type = MPI_Type_f2c(handle);
  MPI_Type_free(&type);
}

/* A small PMPI tool: counts what it sees and forwards it. What it saw is asked for by tool_sends() and its kin. */
#include <mpi.h>

static int sends, receives, packs, commits, derived;

int tool_sends(void) {
  return sends;
}
int tool_receives(void) {
  return receives;
}
int tool_packs(void) {
  return packs;
}
int tool_commits(void) {
  return commits;
}
int tool_derived(void) {
  return derived;
} /* sends and receives with a type that is not MPI_PACKED, of one element */

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  ++sends;
  derived += type != MPI_PACKED && count == 1;
  return PMPI_Send(buffer, count, type, dest, tag, comm);
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  ++receives;
  derived += type != MPI_PACKED && count == 1;
  return PMPI_Recv(buffer, count, type, source, tag, comm, status);
}

int MPI_Pack(const void* in, int count, MPI_Datatype type, void* out, int size, int* position, MPI_Comm comm) {
  ++packs;
  return PMPI_Pack(in, count, type, out, size, position, comm);
}

int MPI_Type_commit(MPI_Datatype* type) {
  ++commits;
  return PMPI_Type_commit(type);
}

/* A small PMPI tool: counts what it sees and forwards it. What it saw is asked for by tool_sends() and its kin.
   COUNTING_NEXT: one that forwards to the next definition behind it, with next_tool_sends() and its kin; and it looks
   for the next malloc in the same way, before anything else runs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>

#ifdef COUNTING_NEXT
#define SAW(what) next_tool_##what
#define FORWARD(name) ((__typeof__(&MPI_##name))dlsym(RTLD_NEXT, "MPI_" #name))
#else
#define SAW(what) tool_##what
#define FORWARD(name) PMPI_##name
#endif

static int sends, receives, packs, commits, derived;

int SAW(sends)(void) {
  return sends;
}
int SAW(receives)(void) {
  return receives;
}
int SAW(packs)(void) {
  return packs;
}
int SAW(commits)(void) {
  return commits;
}
int SAW(derived)(void) {
  return derived;
} /* sends and receives with a type that is not MPI_PACKED, of one element */

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  ++sends;
  derived += type != MPI_PACKED && count == 1;
  return FORWARD(Send)(buffer, count, type, dest, tag, comm);
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  ++receives;
  derived += type != MPI_PACKED && count == 1;
  return FORWARD(Recv)(buffer, count, type, source, tag, comm, status);
}

int MPI_Pack(const void* in, int count, MPI_Datatype type, void* out, int size, int* position, MPI_Comm comm) {
  ++packs;
  return FORWARD(Pack)(in, count, type, out, size, position, comm);
}

int MPI_Type_commit(MPI_Datatype* type) {
  ++commits;
  return FORWARD(Type_commit)(type);
}

#ifdef COUNTING_NEXT
static long mallocs;
long next_tool_mallocs(void) {
  return mallocs;
}

void* malloc(size_t size) {
  static void* (*next)(size_t);
  if (next == NULL) next = (void* (*)(size_t))dlsym(RTLD_NEXT, "malloc");
  __atomic_fetch_add(&mallocs, 1, __ATOMIC_RELAXED);
  return next(size);
}
#endif

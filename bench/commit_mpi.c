/* commit_mpi: what creating and committing a large irregular type costs in an MPI library. Standard calls only, one
 * process, started without mpiexec.
 *
 *   commit_mpi BLOCKS REPETITIONS [FIRST]
 *
 * `gapless bench commit` compiles it against every library that it compares; commit_engine.cpp is the engine's part.
 */
#include <mpi.h>

#include <string.h>

#include "commit.h"

static MPI_Datatype type;
static MPI_Aint* displacements_bytes;

static void check(int error) {
  if (error != MPI_SUCCESS) fail("an MPI call failed");
}

static void prepare(const Irregular* list) {
  free(displacements_bytes);
  displacements_bytes = (MPI_Aint*)malloc((size_t)list->count * sizeof(MPI_Aint));
  if (displacements_bytes == NULL) fail("out of memory");
  for (int i = 0; i < list->count; ++i) displacements_bytes[i] = (MPI_Aint)list->displacements[i] * sizeof(double);
}

static void create(const Irregular* list) {
  check(list->unlike ? MPI_Type_create_hindexed(list->count, list->lengths, displacements_bytes, MPI_DOUBLE, &type)
                     : MPI_Type_create_indexed_block(list->count, 1, list->displacements, MPI_DOUBLE, &type));
  check(MPI_Type_commit(&type));
}

static void release(void) {
  check(MPI_Type_free(&type));
}

static void pack(const double* from, double* to, int64_t bytes) {
  int position = 0;
  check(MPI_Pack(from, 1, type, to, (int)bytes, &position, MPI_COMM_SELF));
  if (position != bytes) fail("MPI_Pack moved another number of bytes");
}

int main(int argc, char** argv) {
  const Arguments arguments = parse_arguments(argc, argv);
  int length = 0;
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  check(MPI_Init(&argc, &argv));
  check(MPI_Get_library_version(version, &length));
  version[strcspn(version, "\n,\"\\")] = '\0';
  for (char* tab = version; (tab = strchr(tab, '\t')) != NULL;) *tab = ' ';
  printf("{\"library\": \"%s\"}\n", version);
  const Library library = {prepare, create, release, pack};
  measure_commits(&library, arguments);
  free(displacements_bytes);
  MPI_Finalize();
  return 0;
}

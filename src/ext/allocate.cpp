// GAPLESS_Alloc, GAPLESS_Free: MPI_Alloc_mem with a hint for the layer, if there is one (preload/world/memory.cpp).
#include "ext/error.hpp"
#include "ext/library.hpp"
#include "gapless/gapless_mpi.h"

using namespace gapless::ext;

int GAPLESS_Alloc(MPI_Aint size, void* baseptr) {
  if (!ready()) return kNotReady;
  MPI_Info hints = MPI_INFO_NULL;
  if (const int code = MPI_Info_create(&hints); code != MPI_SUCCESS) return code;
  int code = MPI_Info_set(hints, "gapless_shared", "true");
  if (code == MPI_SUCCESS) code = MPI_Alloc_mem(size, hints, baseptr);
  MPI_Info_free(&hints);
  return code;
}

int GAPLESS_Free(void* base) {
  return ready() ? MPI_Free_mem(base) : kNotReady;
}

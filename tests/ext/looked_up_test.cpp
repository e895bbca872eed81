// A program that is linked with neither MPI nor Gapless: it opens the MPI library itself, locally or not, and finds the
// functions of gapless_mpi.h as the layer has them, or in libgapless_mpi, which it opens as language bindings do.
//
// looked_up_test LIBRARY local|global layer|LIBGAPLESS_MPI
#include <string>

#include "gapless/gapless_mpi.h"
#include "support.hpp"

namespace {

void* library = nullptr;
void* extension = RTLD_DEFAULT;

template <class Function>
Function* look_up(void* handle, const char* name) {
  void* const found = dlsym(handle, name);
  CHECK(found != nullptr, "%s is not found", name);
  return reinterpret_cast<Function*>(found);
}
#define MPI_CALL(name) look_up<decltype(MPI_##name)>(library, "MPI_" #name)
#define GAPLESS_CALL(name) look_up<decltype(GAPLESS_##name)>(extension, "GAPLESS_" #name)

#ifdef OPEN_MPI
MPI_Datatype integer() {
  return look_up<std::remove_pointer_t<MPI_Datatype>>(library, "ompi_mpi_int");
}
#else
MPI_Datatype integer() {
  return MPI_INT;
}
#endif

void copy() {
  MPI_Datatype column, bounded;
  MPI_CALL(Type_vector)(3, 1, 4, integer(), &column);
  MPI_CALL(Type_commit)(&column);
  CHECK(GAPLESS_CALL(Type_create_vector_bounded)(9, 1, 4, integer(), &bounded) == MPI_SUCCESS, "a bounded vector");
  MPI_CALL(Type_commit)(&bounded);
  int equal = -1;
  CHECK(GAPLESS_CALL(Type_equal)(column, bounded, &equal) == MPI_SUCCESS && equal == 1, "the same type");
  const int from[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  for (int round = 0; round < 4; ++round) {
    int to[12] = {0}, dense[3] = {0};
    CHECK(GAPLESS_CALL(Copy)(from, 1, column, to, 1, bounded) == MPI_SUCCESS, "GAPLESS_Copy");
    CHECK(to[4] == 4 && to[8] == 8 && to[5] == 0, "the copy");
    MPI_Count moved = -1;
    CHECK(GAPLESS_CALL(Pack_at)(from, 1, column, 4, dense, 12, &moved) == MPI_SUCCESS && moved == 8, "GAPLESS_Pack_at");
    CHECK(dense[0] == 4 && dense[1] == 8, "the part");
  }
  MPI_CALL(Type_free)(&column);
  MPI_CALL(Type_free)(&bounded);
}

}  // namespace

int main(int argc, char** argv) {
  CHECK(argc == 4, "usage: looked_up_test LIBRARY local|global layer|LIBGAPLESS_MPI");
  const int number = 7;
  int other = 0;
  if (std::string(argv[3]) != "layer") {
    extension = dlopen(argv[3], RTLD_NOW | RTLD_LOCAL);
    CHECK(extension != nullptr, "%s", dlerror());
  }
  CHECK(GAPLESS_CALL(Copy)(&number, 1, MPI_Datatype{}, &other, 1, MPI_Datatype{}) != MPI_SUCCESS, "without MPI");
  library = dlopen(argv[1], RTLD_LAZY | (std::string(argv[2]) == "global" ? RTLD_GLOBAL : RTLD_LOCAL));
  CHECK(library != nullptr, "%s", dlerror());
  CHECK(GAPLESS_CALL(Copy)(&number, 1, integer(), &other, 1, integer()) != MPI_SUCCESS, "before MPI_Init");
  MPI_CALL(Init)(nullptr, nullptr);
  CHECK(GAPLESS_CALL(Copy)(&number, 1, integer(), &other, 1, integer()) == MPI_SUCCESS && other == 7, "a number");
  copy();
  MPI_CALL(Finalize)();
  CHECK(GAPLESS_CALL(Copy)(&number, 1, integer(), &other, 1, integer()) != MPI_SUCCESS, "after MPI_Finalize");
  std::printf("looked_up_test: passed\n");
  return 0;
}

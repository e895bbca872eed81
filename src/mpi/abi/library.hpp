// The MPI library, as a table of pointers to its PMPI_ functions. Nothing here is linked with an MPI library: a second
// one would be loaded beside the program's wherever the two differ in name.
#pragma once

#include "mpi/abi/signatures.hpp"

namespace gapless::mpi {

// Null pointers: what this library does not have.
struct Library {
#define GAPLESS_PLAIN(name, arguments) Signatures<int>::name* name = nullptr;
#define GAPLESS_SERVICE(name, arguments) Signatures<int>::name* name = nullptr;
#define GAPLESS_NEEDED(name, arguments) Signatures<int>::name* name = nullptr;
#define GAPLESS_LARGE(name, arguments) Signatures<int>::name* name = nullptr;
#define GAPLESS_COUNTED(name, arguments) \
  Signatures<int>::name* name = nullptr; \
  Signatures<MPI_Count>::name* name##_c = nullptr;
#include "mpi/abi/library.def"
#include "mpi/abi/procedures.def"
#undef GAPLESS_PLAIN
#undef GAPLESS_SERVICE
#undef GAPLESS_NEEDED
#undef GAPLESS_LARGE
#undef GAPLESS_COUNTED
};

// Filled by load_library, before any other function of src/mpi is called, and constant afterwards.
extern Library library;

// `find` looks up a function of the library by its name, `find_data` a variable. Returns the name of one that is needed
// and not there, or nullptr.
using Find = void* (*)(const char* name);
const char* load_library(Find find, Find find_data);

}  // namespace gapless::mpi

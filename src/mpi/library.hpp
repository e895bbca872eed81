// The MPI library, as a table of pointers to its PMPI_ functions. Nothing here is linked with an MPI library: a second
// one would be loaded beside the program's wherever the two differ in name.
#pragma once

#include "mpi/abi.hpp"

namespace gapless::mpi {

struct Library {
#define GAPLESS_LIBRARY_FUNCTION(name) decltype(&PMPI_##name) name = nullptr;
#include "mpi/library.def"
#undef GAPLESS_LIBRARY_FUNCTION
};

// Filled by load_library, before any other function of this folder is called, and constant from then on.
extern Library library;

// `find` looks up a function of the library by its name. Returns the name of one that is not there, or nullptr if
// all are (procedures that old libraries lack and nothing else needs, the sessions, may be missing).
const char* load_library(void* (*find)(const char* name));

}  // namespace gapless::mpi

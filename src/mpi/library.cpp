#include "mpi/library.hpp"

#include <cstring>

namespace gapless::mpi {

Library library;

const char* load_library(void* (*find)(const char* name)) {
  const char* missing = nullptr;
#define GAPLESS_LIBRARY_FUNCTION(function)                                                  \
  library.function = reinterpret_cast<decltype(library.function)>(find("PMPI_" #function)); \
  if (library.function == nullptr && std::strncmp(#function, "Session_", 8) != 0) missing = "PMPI_" #function;
#include "mpi/library.def"
#undef GAPLESS_LIBRARY_FUNCTION
  return missing;
}

}  // namespace gapless::mpi

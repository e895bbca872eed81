#include "mpi/abi/library.hpp"

namespace gapless::mpi {

Library library;

namespace {

template <class Function>
bool look_up(Function*& function, Find find, const char* name) {
  function = reinterpret_cast<Function*>(find(name));
  return function != nullptr;
}

}  // namespace

const char* load_library(Find find, Find find_data) {
  const char* missing = load_predefined(find_data);
#define GAPLESS_PLAIN(name, arguments) look_up(library.name, find, "PMPI_" #name);
#define GAPLESS_SERVICE(name, arguments) GAPLESS_PLAIN(name, arguments)
#define GAPLESS_LARGE(name, arguments) GAPLESS_PLAIN(name, arguments)
#define GAPLESS_NEEDED(name, arguments) \
  if (!look_up(library.name, find, "PMPI_" #name)) missing = "PMPI_" #name;
#define GAPLESS_COUNTED(name, arguments) \
  GAPLESS_PLAIN(name, arguments)         \
  look_up(library.name##_c, find, "PMPI_" #name "_c");
#include "mpi/abi/library.def"
#include "mpi/abi/procedures.def"
#undef GAPLESS_PLAIN
#undef GAPLESS_SERVICE
#undef GAPLESS_LARGE
#undef GAPLESS_NEEDED
#undef GAPLESS_COUNTED
  return missing;
}

}  // namespace gapless::mpi

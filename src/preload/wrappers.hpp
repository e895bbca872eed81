// The wrappers, one for each line of mpi/abi/procedures.def and one more for its _c form, with the table's signatures.
#pragma once

#include "mpi/abi/library.hpp"

namespace gapless::preload {

#define GAPLESS_PLAIN(name, arguments) mpi::Signatures<int>::name wrap_##name;
#define GAPLESS_SERVICE(name, arguments) mpi::Signatures<int>::name wrap_##name;
#define GAPLESS_COUNTED(name, arguments)  \
  mpi::Signatures<int>::name wrap_##name; \
  mpi::Signatures<MPI_Count>::name wrap_##name##_c;
#include "mpi/abi/procedures.def"
#undef GAPLESS_PLAIN
#undef GAPLESS_SERVICE
#undef GAPLESS_COUNTED

}  // namespace gapless::preload

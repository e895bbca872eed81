// Compiled for nothing but its errors: each signature of the tables is declared beside the one of this ABI's mpi.h, and
// two that differ are refused. What a header lacks (the _c forms in Open MPI's) has the standard's signature alone.
#include "mpi/abi/signatures.hpp"

extern "C" {
using gapless::mpi::Signatures;
#define GAPLESS_PLAIN(name, arguments) \
  Signatures<int>::name MPI_##name;    \
  Signatures<int>::name PMPI_##name;
#define GAPLESS_SERVICE(name, arguments) GAPLESS_PLAIN(name, arguments)
#define GAPLESS_NEEDED(name, arguments) GAPLESS_PLAIN(name, arguments)
#define GAPLESS_LARGE(name, arguments) GAPLESS_PLAIN(name, arguments)
#define GAPLESS_COUNTED(name, arguments)      \
  GAPLESS_PLAIN(name, arguments)              \
  Signatures<MPI_Count>::name MPI_##name##_c; \
  Signatures<MPI_Count>::name PMPI_##name##_c;
#include "mpi/abi/library.def"
#include "mpi/abi/procedures.def"
#undef GAPLESS_PLAIN
#undef GAPLESS_SERVICE
#undef GAPLESS_LARGE
#undef GAPLESS_NEEDED
#undef GAPLESS_COUNTED
}

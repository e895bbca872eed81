// The tables' signatures as function types: Signatures<int>::Send is MPI_Send, Signatures<MPI_Count>::Send MPI_Send_c.
#pragma once

#include <type_traits>

#include "mpi/abi/abi.hpp"

namespace gapless::mpi {

// The type of displacements in a procedure with such counts.
template <class Count>
using DisplacementOf = std::conditional_t<sizeof(Count) == sizeof(int), int, MPI_Aint>;

template <class Count>
struct Signatures {
  using Displacement = DisplacementOf<Count>;
#define GAPLESS_COUNTED(name, arguments) using name = int arguments;
#define GAPLESS_PLAIN(name, arguments) using name = int arguments;
#define GAPLESS_SERVICE(name, arguments) using name = int arguments;
#define GAPLESS_NEEDED(name, arguments) using name = int arguments;
#define GAPLESS_LARGE(name, arguments) using name = int arguments;
#include "mpi/abi/library.def"
#include "mpi/abi/procedures.def"
#undef GAPLESS_COUNTED
#undef GAPLESS_PLAIN
#undef GAPLESS_SERVICE
#undef GAPLESS_NEEDED
#undef GAPLESS_LARGE
};

}  // namespace gapless::mpi

// One side of a collective call as the library's procedures take it: given by the program, or rewritten as bytes.
#pragma once

#include <limits>

#include "mpi/abi/abi.hpp"

namespace gapless::preload {

// Of a plain collective: each block has `count` elements, and the blocks follow one another.
struct View {
  const void* buffer;
  MPI_Count count;
  MPI_Datatype type;
};

// Of a v-collective: block k has counts[k] elements, at displacements[k] extents; or of a w-collective: of types[k], at
// displacements[k] bytes.
template <class Count, class Displacement, class Types>
struct Views {
  const void* buffer;
  const Count* counts;
  const Displacement* displacements;
  Types types;  // MPI_Datatype, or a pointer to as many as there are blocks
};

// True of a w-collective's.
template <class Given>
inline constexpr bool kIsTyped = false;
template <class Count, class Displacement>
inline constexpr bool kIsTyped<Views<Count, Displacement, const MPI_Datatype*>> = true;

// The most bytes of a block that the procedure can count: for plain collectives there is MPI_X_c, whichever was called.
inline MPI_Count max_block_bytes(const View&) noexcept {
  return std::numeric_limits<MPI_Count>::max();
}
template <class Count, class Displacement, class Types>
MPI_Count max_block_bytes(const Views<Count, Displacement, Types>&) noexcept {
  return std::numeric_limits<Count>::max();
}

}  // namespace gapless::preload

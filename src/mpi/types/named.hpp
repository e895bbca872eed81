// MPI's named types as the engine's.
#pragma once

#include <cstdint>

#include "layout/layout.hpp"
#include "mpi/abi/abi.hpp"

namespace gapless::mpi {

// One of the six pair types of C, the only named ones with holes.
bool is_pair(MPI_Datatype type) noexcept;

// The layout of a named type of which the library says that it has `size` bytes of data in `extent`; nullptr if it has
// holes that are not known.
using NamedLayout = layout::LayoutPtr(MPI_Datatype type, std::int64_t size, std::int64_t extent);
NamedLayout named_layout;

}  // namespace gapless::mpi

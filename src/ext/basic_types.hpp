// MPI's basic types, told apart: for the engine's plans MPI_INT and MPI_FLOAT are four bytes, for a type signature they
// are two types. Here each handle of a basic type has an entry of its own among the engine's named types.
#pragma once

#include "ext/library.hpp"
#include "layout/layout.hpp"

namespace gapless::ext {

// The layout of a valid datatype with such entries at its leaves; a pair type is its two basic types, as the standard
// defines it. nullptr: the type is the library's alone (mpi/types/decode.hpp), or the library has raised an error.
// Makes MPI calls. Throws base::Error or std::bad_alloc.
layout::LayoutPtr decode_exactly(MPI_Datatype type);

// Of a leaf: the handle that it came from. MPI_DATATYPE_NULL for any other layout.
MPI_Datatype predefined_of(const layout::Layout& leaf) noexcept;

}  // namespace gapless::ext

// A type of the program in terms of MPI's basic types, for the functions that make or compare types.
#pragma once

#include "ext/library.hpp"
#include "layout/layout.hpp"

namespace gapless::ext {

// The layout of any type of the program, with MPI's basic types at its leaves (basic_types.hpp). Throws Raised if the
// handle is none, or the type the library's alone.
layout::LayoutPtr exact_type(MPI_Datatype type);

// True if the two have the same type map and bounds.
bool same_type(const layout::Layout& a, const layout::Layout& b);

}  // namespace gapless::ext

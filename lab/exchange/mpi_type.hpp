// Layout -> MPI datatype, by the constructors that the text names.
#pragma once

#include "../mpi_handle.hpp"

#include <cstdint>

#include "layout/layout.hpp"

namespace gapless::lab::exchange {

// A committed type. What MPI lacks is made by its expansion. Throws Refused: a number that does not fit into an int, a
// type that this library lacks or refuses, or one to which it gives another size or other bounds than MPI's rules do.
MpiType make_type(const layout::Layout& type);

// The same again of a layout that make_type() took, and nothing beyond what a program does: construct and commit.
MpiType make_type_again(const layout::Layout& type);

// The same, and what its constructors and its commit took, without what makes their arguments ready. Throws Refused.
struct TimedType {
  MpiType type;
  double construct_ns, commit_ns;
};
TimedType make_timed_type(const layout::Layout& type);

// Throws Refused; `what` says which number it is.
int as_int(std::int64_t number, const char* what);

}  // namespace gapless::lab::exchange

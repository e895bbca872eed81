// "library": MPI_Alltoallv and MPI_Alltoallw of the MPI library.
#pragma once

#include <memory>

#include "ext/alltoallv/exchange.hpp"

namespace gapless::ext::irregular {

// Calls it with what the program gave; MPI_IN_PLACE stays that. Returns the library's code; MPI_ERR_COUNT if a count or
// a displacement is beyond an int and the library has no large counts. Throws std::bad_alloc.
int call_library(const Half& sent, const Half& received, const Group& group);

// The same, bound: the arrays must live as long. The collective call is made by wait(), for it waits for the others.
std::unique_ptr<Exchange> make_library(const Half& sent, const Half& received, const Group& group);

}  // namespace gapless::ext::irregular

// The numbers of the models on this machine: measured ones from the file that GAPLESS_ALLTOALL_FILE names, else
// built-in ones.
#pragma once

#include <string>
#include <string_view>

#include "alltoall/machine.hpp"

namespace gapless::alltoall {

struct Measured {
  Machines machines;
  std::string refused;  // which file is wrong and why; empty: none is
};
// Of the library that says `library` of itself. Of several files, with colons between, the first that exists counts.
// Throws std::bad_alloc.
Measured measured_machines(std::string_view library);

}  // namespace gapless::alltoall

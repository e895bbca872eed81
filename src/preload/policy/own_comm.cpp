#include "preload/policy/refused_type.hpp"

#include "mpi/types/datatype.hpp"

namespace gapless::preload {

bool refuses_type(MPI_Datatype type) noexcept {
  char byte = 0;
  int position = 0;
  return !mpi::is_registered(type) &&
         is_error([&](MPI_Comm own) { return mpi::library.Pack(&byte, 0, type, &byte, 1, &position, own); });
}

}  // namespace gapless::preload

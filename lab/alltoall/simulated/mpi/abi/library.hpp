// In place of src/mpi/abi/library.hpp: what src/ext asks of the library by way of its table.
#pragma once

#include <mpi.h>

namespace gapless::mpi {

struct SimulatedLibrary {
  int Type_size_x(MPI_Datatype type, MPI_Count* size) const {
    int found = 0;
    const int code = MPI_Type_size(type, &found);
    *size = found;
    return code;
  }
  int Type_get_extent_x(MPI_Datatype type, MPI_Count* low, MPI_Count* extent) const {
    MPI_Aint found_low = 0, found_extent = 0;
    const int code = MPI_Type_get_extent(type, &found_low, &found_extent);
    *low = found_low;
    *extent = found_extent;
    return code;
  }
};
inline constexpr SimulatedLibrary library;

}  // namespace gapless::mpi

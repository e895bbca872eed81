#pragma once
#include "mpi/contents.hpp"
#include "mpi/library.hpp"
namespace gapless::mpi {
inline bool is_contiguous_builtin(MPI_Datatype type) noexcept { return is_predefined(type); }
inline bool is_named(int combiner) noexcept {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX ||
         combiner == MPI_COMBINER_F90_INTEGER;
}
struct Bounds {
  MPI_Count size = 0, lb = 0, extent = 0;
};
inline bool get_bounds(MPI_Datatype type, Bounds& bounds) {
  return library.Type_size_c(type, &bounds.size) == MPI_SUCCESS &&
         library.Type_get_extent_c(type, &bounds.lb, &bounds.extent) == MPI_SUCCESS;
}
}  // namespace gapless::mpi

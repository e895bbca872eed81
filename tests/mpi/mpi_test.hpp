// What the tests of src/mpi share: the library loaded as the layer loads it, and MPI_Pack as the judge of a plan.
#pragma once

#include <dlfcn.h>

#include <vector>

#include "move/move.hpp"
#include "mpi/abi/library.hpp"
#include "mpi/types/datatype.hpp"
#include "random_mpi_type.hpp"
#include "support.hpp"

namespace test {

inline void load() {
  const auto visible = [](const char* name) { return dlsym(RTLD_DEFAULT, name); };
  const char* missing = gapless::mpi::load_library(visible, visible);
  CHECK(missing == nullptr, "%s", missing);
}

// Open MPI 5.0.11 refuses some darrays (MPI_ERR_TYPE), and packs some types otherwise than MPI defines them (the blocks
// of an hindexed_block of a resized type: as if they were a size apart and not an extent) or puts them elsewhere
// (negative strides), which the layer notices.
#if defined(GAPLESS_ABI_OPENMPI)
inline constexpr bool kLibraryErrs = true;
inline void let_errors_return(bool on) {
  void* const handler = dlsym(RTLD_DEFAULT, on ? "ompi_mpi_errors_return" : "ompi_mpi_errors_are_fatal");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, static_cast<MPI_Errhandler>(handler));
  MPI_Comm_set_errhandler(MPI_COMM_SELF, static_cast<MPI_Errhandler>(handler));
}
#else
inline constexpr bool kLibraryErrs = false;
inline void let_errors_return(bool) {}
#endif

// Whether the plan packs (count, type) as the library does.
inline bool packs_alike(const gapless::plan::Plan* plan, MPI_Datatype type, int count, std::uint64_t seed) {
  if (plan == nullptr) return false;
  const Span span = span_of(type, count);
  Field from(span, seed);
  std::vector<char> theirs(static_cast<std::size_t>(span.size)), ours(theirs.size());
  int position = 0;
  MPI_Pack(from.buffer(), count, type, theirs.data(), static_cast<int>(span.size), &position, MPI_COMM_SELF);
  return gapless::move::pack(*plan, count, from.buffer(), 0, ours.data(), span.size) == span.size && ours == theirs;
}

inline MPI_Datatype vector_of(int stride, MPI_Datatype old = MPI_INT) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(8, 1, stride, old, &type);
  MPI_Type_commit(&type);
  return type;
}

}  // namespace test

// A constructor's arguments, as the library gives them back -> the engine's constructor.
#pragma once

#include <span>

#include "layout/layout.hpp"
#include "mpi/types/contents.hpp"

namespace gapless::mpi {

// The combiners that Fortran's old constructors left behind: every number is an integer, displacements in bytes too.
// Named by the legacy headers only (the standard ABI has none: then these are no combiners).
#if defined(OMPI_MAJOR_VERSION) && OMPI_OMIT_MPI1_COMPAT_DECLS
inline constexpr int kHvectorInteger = OMPI_WAS_MPI_COMBINER_HVECTOR_INTEGER;
inline constexpr int kHindexedInteger = OMPI_WAS_MPI_COMBINER_HINDEXED_INTEGER;
inline constexpr int kStructInteger = OMPI_WAS_MPI_COMBINER_STRUCT_INTEGER;
#elif defined(MPI_ABI_VERSION)
inline constexpr int kHvectorInteger = -1, kHindexedInteger = -2, kStructInteger = -3;
#else
inline constexpr int kHvectorInteger = MPI_COMBINER_HVECTOR_INTEGER;
inline constexpr int kHindexedInteger = MPI_COMBINER_HINDEXED_INTEGER;
inline constexpr int kStructInteger = MPI_COMBINER_STRUCT_INTEGER;
#endif

// The layout of a type whose contents are these (not of a named one) and whose components, contents.datatypes, have
// these layouts; nullptr if the combiner is not known, or if arguments are missing. Throws base::Error.
layout::LayoutPtr construct(const Contents& contents, std::span<const layout::LayoutPtr> children);

}  // namespace gapless::mpi

// MPI_Datatype -> Layout, by asking the library how the type was built.
#pragma once

#include "layout/layout.hpp"
#include "mpi/abi/abi.hpp"
#include "mpi/types/datatype.hpp"
#include "mpi/types/named.hpp"
#include "mpi/types/type_cache.hpp"

namespace gapless::mpi {

// The layout of a valid datatype, or nullptr if it holds a constructor that is not known or one whose size the library
// counts differently. Makes MPI calls: never call it with a lock held. Throws base::Error or std::bad_alloc.
// `of_named`: what a named type is, as named_layout (named.hpp) says.
layout::LayoutPtr decode(MPI_Datatype type, NamedLayout* of_named = named_layout);

// The same, with the plan, and looked up by construction in `cache`.
struct Description {
  DatatypePtr datatype;        // with no plan: the type cannot be decoded; nullptr: there is no such type, or no memory
  bool is_predefined = false;  // never freed
};
Description describe(MPI_Datatype type, TypeCache& cache = type_cache()) noexcept;

}  // namespace gapless::mpi

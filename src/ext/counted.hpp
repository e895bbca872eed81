// Counts beyond an int, as one element of a type made of many. Nothing here raises errors: they are the caller's to
// raise where they belong (constructors.hpp has the same by the library's large counts, and throws).
#pragma once

#include "ext/library.hpp"

namespace gapless::ext {

struct Counted {
  int count;
  MPI_Datatype type;
  bool is_made;  // the type is the caller's to free
};
// `count` elements of a type; beyond an int, one of a type made of so many. Returns MPI_SUCCESS, or the library's code.
int counted(MPI_Count count, MPI_Datatype type, Counted& made) noexcept;
// That type, not committed, of more elements than an int counts.
int repeated(MPI_Count count, MPI_Datatype type, MPI_Datatype* made) noexcept;
// Commits a type, or frees it if it cannot be. `code`: of what made it; if that is an error there is none.
int commit_or_free(int code, MPI_Datatype& made) noexcept;

}  // namespace gapless::ext

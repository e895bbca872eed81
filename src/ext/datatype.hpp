// What is known of a datatype that a program gives to one of our functions: mpi/types, without a layer that has seen
// the type's commit.
//
// The library is asked whether the type is committed, by packing none of it: so what is wrong with a handle is raised
// as MPI_Pack raises it. That is done at the first two uses of a handle. From the third on, facts are remembered under
// it, as mpi/types/datatype.hpp has it: the type has our attribute then, by which the library tells of its end. A
// committed type stays committed, so what is remembered needs no second question.
#pragma once

#include "ext/library.hpp"
#include "mpi/types/datatype.hpp"

namespace gapless::ext {

// MPI_SUCCESS, and the facts of a type that the program may use in a communication now; or the code of an error that
// was raised through MPI_COMM_SELF: the handle is none, or the type is not committed. Facts without a plan (mpi/types):
// the type is the library's alone. After ready().
int find_committed(MPI_Datatype type, mpi::DatatypePtr& facts) noexcept;

// The same without a reference, if this thread used the handle lately; else nullptr. Good until this thread's next call
// of find_committed.
inline const mpi::Datatype* remembered(MPI_Datatype type) noexcept {
  return mpi::remembered_type(type);
}

}  // namespace gapless::ext

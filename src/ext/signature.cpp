// GAPLESS_Type_signature, GAPLESS_Type_equal: of basic types, not of bytes.
#include "layout/signature.hpp"
#include "ext/basic_types.hpp"
#include "ext/error.hpp"
#include "ext/exact_type.hpp"
#include "ext/type_builder.hpp"
#include "gapless/gapless_mpi.h"
#include "normal/compare.hpp"
#include "normal/normalise.hpp"

using namespace gapless;
using namespace gapless::ext;

int GAPLESS_Type_signature(MPI_Datatype type, MPI_Datatype* newtype) {
  if (!ready()) return kNotReady;
  if (newtype == nullptr) return raise(MPI_ERR_ARG);
  return guard([=] {
    const layout::LayoutPtr exact = exact_type(type);
    *newtype = TypeBuilder().build(layout::signature_type(*exact)).release();
    return MPI_SUCCESS;
  });
}

int GAPLESS_Type_equal(MPI_Datatype type_a, MPI_Datatype type_b, int* equal) {
  if (!ready()) return kNotReady;
  if (equal == nullptr) return raise(MPI_ERR_ARG);
  return guard([=] {
    *equal = same_type(*exact_type(type_a), *exact_type(type_b)) ? 1 : 0;
    return MPI_SUCCESS;
  });
}

// GAPLESS_Type_create_vector_bounded, GAPLESS_Type_create_vector_circular, GAPLESS_Type_create_bucket: of a type of
// which nothing need be known but its extent.
#include <vector>

#include "ext/error.hpp"
#include "ext/type_builder.hpp"
#include "gapless/gapless_mpi.h"

using namespace gapless;
using namespace gapless::ext;
using layout::LayoutPtr;

namespace {

// The type that `define`, one of the engine's constructors, makes of the old one.
template <class Define>
int create(MPI_Datatype old, MPI_Datatype* made, Define define) noexcept {
  if (old == MPI_DATATYPE_NULL) return raise(MPI_ERR_TYPE);
  if (made == nullptr) return raise(MPI_ERR_ARG);
  return guard([&] {
    TypeBuilder builder;
    *made = builder.build(define(builder.leaf(old))).release();
    return MPI_SUCCESS;
  });
}

}  // namespace

int GAPLESS_Type_create_vector_bounded(MPI_Count bound, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
                                       MPI_Datatype* newtype) {
  if (!ready()) return kNotReady;
  return create(oldtype, newtype,
                [=](LayoutPtr old) { return layout::bounded_vector(bound, blocklength, stride, std::move(old)); });
}

int GAPLESS_Type_create_vector_circular(MPI_Count total, MPI_Count start, MPI_Count bound, MPI_Count blocklength,
                                        MPI_Count stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  if (!ready()) return kNotReady;
  return create(oldtype, newtype, [=](LayoutPtr old) {
    return layout::circular_vector(total, start, bound, blocklength, stride, std::move(old));
  });
}

int GAPLESS_Type_create_bucket(MPI_Count count, MPI_Count stride, const MPI_Count counts[], MPI_Datatype oldtype,
                               MPI_Datatype* newtype) {
  if (!ready()) return kNotReady;
  if (count < 0) return raise(MPI_ERR_COUNT);
  if (count > 0 && counts == nullptr) return raise(MPI_ERR_ARG);
  return create(oldtype, newtype, [=](LayoutPtr old) {
    return layout::bucket(stride, std::vector<std::int64_t>(counts, counts + count), std::move(old));
  });
}

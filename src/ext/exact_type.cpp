#include "ext/exact_type.hpp"

#include "ext/basic_types.hpp"
#include "ext/error.hpp"
#include "layout/signature.hpp"
#include "mpi/types/contents.hpp"
#include "normal/compare.hpp"
#include "normal/normalise.hpp"

namespace gapless::ext {

layout::LayoutPtr exact_type(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) throw Raised{raise(MPI_ERR_TYPE)};
  // First, so that an error of the library is not taken for a type that it alone knows; where it is raised and not
  // told, nothing is written.
  mpi::ReportedBounds bounds;
  bounds.size = -1;
  if (!mpi::get_bounds(type, bounds) || bounds.size < 0) throw Raised{MPI_ERR_TYPE};
  layout::LayoutPtr exact = decode_exactly(type);
  if (exact == nullptr) throw Raised{raise(MPI_ERR_UNSUPPORTED_OPERATION)};
  return exact;
}

// Byte i of the data is in the same place in both; and where they have the same basic types in the same order, byte i
// is the same byte of the same basic type, so each basic type is in the same place.
bool same_type(const layout::Layout& a, const layout::Layout& b) {
  return a.size == b.size && a.lb == b.lb && a.extent == b.extent &&
         normal::same_sequence({normal::normalise(a)}, {normal::normalise(b)}) &&
         layout::Signature(a) == layout::Signature(b);
}

}  // namespace gapless::ext

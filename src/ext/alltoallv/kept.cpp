#include "ext/alltoallv/kept.hpp"

#include "mpi/types/held_type.hpp"

namespace gapless::ext::irregular {

KeptHalf::KeptHalf(const Half& half, int processes) : half_(half) {
  if (half.buffer == MPI_IN_PLACE) return;
  const auto p = static_cast<std::size_t>(processes);
  counts_.assign(half.counts, half.counts + p);
  displacements_.assign(half.displacements, half.displacements + p);
  half_.counts = counts_.data();
  half_.displacements = displacements_.data();
  types_.assign(half.types != nullptr ? p : 1, MPI_DATATYPE_NULL);
  for (std::size_t k = 0; k < types_.size(); ++k) {
    const MPI_Datatype type = half.type_of(static_cast<int>(k));
    if (mpi::is_contiguous_builtin(type)) {
      types_[k] = type;
    } else if (half.types == nullptr || counts_[k] > 0) {  // a type for nobody may be none
      if (const int code = mpi::hold_type(type, types_[k]); code != MPI_SUCCESS) {
        free();
        throw Raised{code};
      }
    }
  }
  if (half.types != nullptr)
    half_.types = types_.data();
  else
    half_.type = types_[0];
}

KeptHalf::~KeptHalf() {
  free();
}

void KeptHalf::free() noexcept {
  for (MPI_Datatype& type : types_)
    if (type != MPI_DATATYPE_NULL && !mpi::is_contiguous_builtin(type)) MPI_Type_free(&type);
}

}  // namespace gapless::ext::irregular

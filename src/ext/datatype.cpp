#include "ext/datatype.hpp"

#include "ext/error.hpp"
#include "mpi/abi/library.hpp"

namespace gapless::ext {

int find_committed(MPI_Datatype type, mpi::DatatypePtr& facts) noexcept {
  if (mpi::remembered_type(type) != nullptr) [[likely]] {
    facts = mpi::find_type(type, true);
    return MPI_SUCCESS;
  }
  if (type == MPI_DATATYPE_NULL) return raise(MPI_ERR_TYPE);
  if (!mpi::is_contiguous_builtin(type)) {
    const char nothing = 0;
    char none = 0;
    int position = 0;
    const int code = mpi::library.Pack(&nothing, 0, type, &none, 1, &position, own_comm());
    if (code != MPI_SUCCESS) return raise(code);
    if (!mpi::is_registered(type)) mpi::register_type(type);
  }
  mpi::DatatypePtr found = mpi::find_type(type, true);
  if (found == nullptr) return raise(MPI_ERR_TYPE);
  facts = std::move(found);
  return MPI_SUCCESS;
}

}  // namespace gapless::ext

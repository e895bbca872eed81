// GAPLESS_Type_serialise.
#include <cstring>

#include "ext/error.hpp"
#include "ext/exact_type.hpp"
#include "gapless/gapless_mpi.h"
#include "normal/normalise.hpp"
#include "serial/serial.hpp"

using namespace gapless;
using namespace gapless::ext;

int GAPLESS_Type_serialise(MPI_Datatype type, void* buffer, MPI_Count capacity, MPI_Count* needed) {
  if (!ready()) return kNotReady;
  if (capacity < 0) return raise(MPI_ERR_COUNT);
  if (needed == nullptr) return raise(MPI_ERR_ARG);
  if (buffer == nullptr && capacity > 0) return raise(MPI_ERR_BUFFER);
  return guard([=] {
    const layout::LayoutPtr exact = exact_type(type);
    const auto bytes = serial::serialise(normal::normalise(*exact), exact->lb, exact->extent);
    const auto size = static_cast<MPI_Count>(bytes.size());
    if (size <= capacity) std::memcpy(buffer, bytes.data(), bytes.size());
    *needed = size;
    return MPI_SUCCESS;
  });
}

#include "mpi/types/named.hpp"

namespace gapless::mpi {

namespace {

// Only the pair types have more than one run; every other named type is one of its size, whatever its name.
const char* pair_name(MPI_Datatype type) noexcept {
  if (type == MPI_FLOAT_INT) return "float_int";
  if (type == MPI_DOUBLE_INT) return "double_int";
  if (type == MPI_LONG_INT) return "long_int";
  if (type == MPI_SHORT_INT) return "short_int";
  if (type == MPI_2INT) return "2int";
  if (type == MPI_LONG_DOUBLE_INT) return "long_double_int";
  return nullptr;
}

const char* plain_name(std::int64_t size) {
  switch (size) {
    case 1:
      return "byte";
    case 2:
      return "int16";
    case 4:
      return "int32";
    case 8:
      return "int64";
    case 16:
      return "double_complex";
    case 32:
      return "long_double_complex";
    default:
      return nullptr;
  }
}

}  // namespace

bool is_pair(MPI_Datatype type) noexcept {
  return pair_name(type) != nullptr;
}

layout::LayoutPtr named_layout(MPI_Datatype type, std::int64_t size, std::int64_t extent) {
  if (const char* name = pair_name(type); name != nullptr) {
    const layout::Named* found = layout::find_named(name);
    if (found != nullptr && found->size == size && found->extent == extent) return layout::named(*found);
  }
  // A hole would have to be somewhere, and nothing says where. LB and UB (no data, no extent) pass as zero bytes.
  if (size != extent || size < 0) return nullptr;
  // Two values, of which a message may hold the first alone.
  if (type != MPI_DATATYPE_NULL && (type == MPI_2INTEGER || type == MPI_2REAL || type == MPI_2DOUBLE_PRECISION)) {
    if (const char* name = plain_name(size / 2); name != nullptr && size % 2 == 0) {
      return layout::contiguous(2, layout::named(*layout::find_named(name)));
    }
  }
  if (const char* name = plain_name(size); name != nullptr) return layout::named(*layout::find_named(name));
  return layout::contiguous(size, layout::named(*layout::find_named("byte")));
}

}  // namespace gapless::mpi

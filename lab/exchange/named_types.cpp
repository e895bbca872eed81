#include "named_types.hpp"

#include <cstring>

namespace gapless::lab::exchange {

// The types that C programs use, not MPI's own for a width (MPI_INT32_T), where both are the same on this machine.
static_assert(sizeof(short) == 2 && sizeof(int) == 4 && sizeof(long) == 8);

MPI_Datatype named_type(const char* name) {
  // Handles are constants in some libraries and addresses in others: the table is made when it is asked.
  const struct {
    const char* name;
    MPI_Datatype type;
  } types[] = {
      {"byte", MPI_BYTE},
      {"int8", MPI_SIGNED_CHAR},
      {"int16", MPI_SHORT},
      {"int32", MPI_INT},
      {"int64", MPI_LONG},
      {"uint8", MPI_UNSIGNED_CHAR},
      {"uint16", MPI_UNSIGNED_SHORT},
      {"uint32", MPI_UNSIGNED},
      {"uint64", MPI_UNSIGNED_LONG},
      {"char", MPI_CHAR},
      {"wchar", MPI_WCHAR},
      {"bool", MPI_C_BOOL},
      {"float", MPI_FLOAT},
      {"double", MPI_DOUBLE},
      {"long_double", MPI_LONG_DOUBLE},
      {"float_complex", MPI_C_FLOAT_COMPLEX},
      {"double_complex", MPI_C_DOUBLE_COMPLEX},
      {"long_double_complex", MPI_C_LONG_DOUBLE_COMPLEX},
      {"aint", MPI_AINT},
      {"packed", MPI_PACKED},
      {"float_int", MPI_FLOAT_INT},
      {"double_int", MPI_DOUBLE_INT},
      {"long_int", MPI_LONG_INT},
      {"short_int", MPI_SHORT_INT},
      {"2int", MPI_2INT},
      {"long_double_int", MPI_LONG_DOUBLE_INT},
  };
  for (const auto& one : types)
    if (std::strcmp(one.name, name) == 0) return one.type;
  return MPI_DATATYPE_NULL;
}

}  // namespace gapless::lab::exchange

// The wrapped procedures, numbered in the order of the table. MPI_X and MPI_X_c are two.
#pragma once

namespace gapless::preload {

enum class Procedure : int {
#define GAPLESS_COUNTED(name, arguments) k##name, k##name##_c,
#define GAPLESS_PLAIN(name, arguments) k##name,
#define GAPLESS_SERVICE(name, arguments) k##name,
#include "mpi/abi/procedures.def"
#undef GAPLESS_COUNTED
#undef GAPLESS_PLAIN
#undef GAPLESS_SERVICE
};

// MPI_X of MPI_X_c, for which processes may call either in the same operation.
constexpr Procedure without_c(Procedure procedure) noexcept {
  constexpr Procedure kWithoutC[] = {
#define GAPLESS_COUNTED(name, arguments) Procedure::k##name, Procedure::k##name,
#define GAPLESS_PLAIN(name, arguments) Procedure::k##name,
#define GAPLESS_SERVICE(name, arguments) Procedure::k##name,
#include "mpi/abi/procedures.def"
#undef GAPLESS_COUNTED
#undef GAPLESS_PLAIN
#undef GAPLESS_SERVICE
  };
  return kWithoutC[static_cast<int>(procedure)];
}

inline constexpr const char* kProcedureNames[] = {
#define GAPLESS_COUNTED(name, arguments) "MPI_" #name, "MPI_" #name "_c",
#define GAPLESS_PLAIN(name, arguments) "MPI_" #name,
#define GAPLESS_SERVICE(name, arguments) "MPI_" #name,
#include "mpi/abi/procedures.def"
#undef GAPLESS_COUNTED
#undef GAPLESS_PLAIN
#undef GAPLESS_SERVICE
};

inline constexpr int kProcedureCount = sizeof kProcedureNames / sizeof kProcedureNames[0];

}  // namespace gapless::preload

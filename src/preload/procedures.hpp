// The wrapped procedures, numbered in the order of procedures.def.
#pragma once

namespace gapless::preload {

enum class Procedure : int {
#define GAPLESS_PROCEDURE(name) k##name,
#include "preload/procedures.def"
#undef GAPLESS_PROCEDURE
};

inline constexpr const char* kProcedureNames[] = {
#define GAPLESS_PROCEDURE(name) "MPI_" #name,
#include "preload/procedures.def"
#undef GAPLESS_PROCEDURE
};

inline constexpr int kProcedureCount = sizeof kProcedureNames / sizeof kProcedureNames[0];

}  // namespace gapless::preload

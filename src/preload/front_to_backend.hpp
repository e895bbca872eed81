// What the front (no MPI, one for all libraries) and a backend (compiled for one MPI ABI) know of each other.
#pragma once

#include "gapless/gapless_layer.h"
#include "preload/procedures.hpp"

namespace gapless::preload {

// Both come from the same build and are installed side by side; the number finds a mixture.
inline constexpr int kInterfaceVersion = 7;

// The run-time switches, of everything but collectives, of those, of pairing, and of its ways; read with relaxed atomic
// loads.
struct Switches {
  int on = 1, collectives = 1, paired = 1;
  int way = -1;  // as the setting says
};

struct Front {
  int version;
  void* (*find)(const char* name);       // a function of the MPI library by its name, or nullptr
  void* (*find_data)(const char* name);  // a variable of it, as the program sees it
  // True if some loaded object is bound to a procedure that completes requests and is not wrapped.
  bool (*imports_unwrapped_completion)();
  // Not 0 if the process has asked the loader for such a procedure by its name since; read with relaxed atomic loads.
  const int* completion_looked_up;
  const Switches* switches;
  int served_count;  // the number of its procedures
  // False if the library may have a procedure MPI_X_c that it leaves alone while it serves MPI_X.
  bool serves_large_counts;
};

struct Backend {
  void* wrappers[kProcedureCount];
  int (*count)(const char* procedure, GAPLESS_Counters* counters);  // GAPLESS_Count
};

// The backend's only symbol. Returns nullptr, and a reason that stays valid, if it cannot serve this library.
using StartBackend = const Backend* (*)(const Front* front, const char** reason);
inline constexpr const char* kStartBackend = "gapless_start_backend";

}  // namespace gapless::preload

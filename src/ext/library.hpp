// The program's MPI library, with which libgapless_mpi is not linked: looked up at the first call. All-to-alls are part
// of the layer, too, which has its own answers (preload/world/extension.cpp): there nothing passes through the layer
// again.
#pragma once

#include "mpi/abi/abi.hpp"

namespace gapless::ext {

// What a function returns, and raises nowhere, where MPI is not there to be asked.
inline constexpr int kNotReady = MPI_ERR_OTHER;

// True if MPI calls may be made: from MPI_Init until MPI_Finalize begins to end what MPI_COMM_SELF has. Otherwise says
// on stderr why `function` could do nothing. To be asked first by every function that makes one: before the first true
// nothing of MPI is there, not even its predefined handles.
bool ready(const char* function = __builtin_FUNCTION()) noexcept;

// MPI_X as the program would call it, through the layer and through tools; nullptr if the library has none. For what it
// may lack: the rest is called by name (mpi_calls.def). After ready().
void* find_visible(const char* name) noexcept;
template <class Function>
Function* find_visible(const char* name) noexcept {
  return reinterpret_cast<Function*>(find_visible(name));
}

// A communicator of this process alone, on which errors return: some libraries say MPI_SUCCESS after a handler of the
// program has come back, so their errors are had here, and raised by us (error.hpp). After ready().
MPI_Comm own_comm() noexcept;

}  // namespace gapless::ext

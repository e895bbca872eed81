// What programs and tools ask the loader for by name, instead of being bound to it.
#pragma once

namespace gapless::preload {

// True if a procedure completes requests or receives messages, and this front has no trampoline for it: what comes
// through shared memory it would take for the message. (Who looks a receive up after MPI_Init is not seen in time.)
bool completes_unserved(const char* name);

// Not 0 if the process has asked for such a procedure.
const int* completion_looked_up() noexcept;

}  // namespace gapless::preload

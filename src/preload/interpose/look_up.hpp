// What programs and tools ask the loader for by name, instead of being bound to it.
#pragma once

namespace gapless::preload {

// True if a procedure completes requests, and this front has no trampoline for it.
bool completes_unserved(const char* name);

// Not 0 if the process has asked for such a procedure.
const int* completion_looked_up() noexcept;

}  // namespace gapless::preload

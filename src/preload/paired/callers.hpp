// Who calls MPI: the MPI library does so itself (ROMIO), by calls that may meet others of its own which are not
// wrapped.
#pragma once

#include "base/loaded_object.hpp"

namespace gapless::preload {

// Where the library's code lies; nothing where it is linked into the program.
void find_library_code() noexcept;

extern base::LoadedObject library_code;
inline bool is_library_code(const void* address) noexcept {
  return library_code.has(address);
}

// Of a sending procedure. A message through shared memory is sent when it is packed, whether it has a receiver or not:
// not what a synchronous send promises. kPair: the call may wait for its receiver to copy the data. kPairLater: not the
// call itself, for that receiver may be waiting for this process's next message meanwhile; but what completes the
// operation may. kPairPacked: nothing may, for what is sent changes when the call ends.
enum class May { kPair, kPairLater, kPairPacked, kNotPair };
inline May may_pair(May procedure, const void* caller) noexcept {
  return is_library_code(caller) ? May::kNotPair : procedure;
}

}  // namespace gapless::preload

// Objects that live as long as the process: MPI may be finalised in a static destructor, and threads may be inside.
#pragma once

#include <cstddef>
#include <new>

namespace gapless::base {

// The one object of this type that is never destroyed, made at its first use, in static storage: no memory is needed
// where somebody asks first in a call that must not fail. Thread-safe.
template <class T>
T& immortal() noexcept(noexcept(T())) {
  alignas(T) static std::byte storage[sizeof(T)];
  static T* const the = ::new (static_cast<void*>(storage)) T;
  return *the;
}

}  // namespace gapless::base

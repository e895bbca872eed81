#include "preload/paired/callers.hpp"

#include "base/loaded_object.hpp"
#include "mpi/abi/library.hpp"

namespace gapless::preload {

std::uintptr_t library_begin = 0, library_bytes = 0;

void find_library_code() noexcept {
  const base::LoadedObject found = base::object_around(reinterpret_cast<const void*>(mpi::library.Send));
  if (found.is_program || found.bytes == 0) return;
  library_begin = found.begin;
  library_bytes = found.bytes;
}

}  // namespace gapless::preload

#include "preload/paired/callers.hpp"

#include "mpi/abi/library.hpp"

namespace gapless::preload {

base::LoadedObject library_code;

void find_library_code() noexcept {
  const base::LoadedObject found = base::object_around(reinterpret_cast<const void*>(mpi::library.Send));
  if (!found.is_program) library_code = found;
}

}  // namespace gapless::preload

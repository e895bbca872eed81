#include "preload/paired/callers.hpp"

#include <link.h>

#include <algorithm>

#include "mpi/abi/library.hpp"

namespace gapless::preload {

std::uintptr_t library_begin = 0, library_bytes = 0;

namespace {

int look_into(dl_phdr_info* object, std::size_t, void*) {
  const auto inside = reinterpret_cast<std::uintptr_t>(mpi::library.Send);
  std::uintptr_t begin = UINTPTR_MAX, end = 0;
  for (int k = 0; k < object->dlpi_phnum; ++k) {
    const ElfW(Phdr) & segment = object->dlpi_phdr[k];
    if (segment.p_type != PT_LOAD) continue;
    begin = std::min<std::uintptr_t>(begin, object->dlpi_addr + segment.p_vaddr);
    end = std::max<std::uintptr_t>(end, object->dlpi_addr + segment.p_vaddr + segment.p_memsz);
  }
  if (inside < begin || inside >= end) return 0;
  // The program itself has no name.
  if (object->dlpi_name[0] != '\0') {
    library_begin = begin;
    library_bytes = end - begin;
  }
  return 1;
}

}  // namespace

void find_library_code() noexcept {
  dl_iterate_phdr(look_into, nullptr);
}

}  // namespace gapless::preload

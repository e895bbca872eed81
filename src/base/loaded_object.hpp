// Where the objects of this process lie. dladdr knows it as well, but goes through all symbols of the object, of which
// an MPI library has thousands.
#pragma once

#include <link.h>

#include <algorithm>
#include <cstdint>

namespace gapless::base {

struct LoadedObject {
  std::uintptr_t begin = 0, bytes = 0;  // 0 bytes: none
  bool is_program = false;

  bool has(const void* address) const noexcept { return reinterpret_cast<std::uintptr_t>(address) - begin < bytes; }
};

// The object of the loader's first namespace that an address lies in.
inline LoadedObject object_around(const void* address) noexcept {
  struct Search {
    const void* address;
    LoadedObject found;
  } search{address, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* of) {
        std::uintptr_t begin = UINTPTR_MAX, end = 0;
        for (int k = 0; k < object->dlpi_phnum; ++k) {
          const ElfW(Phdr) & segment = object->dlpi_phdr[k];
          if (segment.p_type != PT_LOAD) continue;
          begin = std::min<std::uintptr_t>(begin, object->dlpi_addr + segment.p_vaddr);
          end = std::max<std::uintptr_t>(end, object->dlpi_addr + segment.p_vaddr + segment.p_memsz);
        }
        auto& wanted = *static_cast<Search*>(of);
        if (begin >= end) return 0;
        // The program itself has no name.
        const LoadedObject one{begin, end - begin, object->dlpi_name == nullptr || object->dlpi_name[0] == '\0'};
        if (!one.has(wanted.address)) return 0;
        wanted.found = one;
        return 1;
      },
      &search);
  return search.found;
}

}  // namespace gapless::base

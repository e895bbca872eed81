#include "preload/interpose/imports.hpp"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>

namespace gapless::preload {

namespace {

// MPICH: MPIX_Request_is_complete. Open MPI's extension: continuations run when a request completes.
constexpr const char* kUnwrapped[] = {"MPIX_Request_is_complete", "PMPIX_Request_is_complete", "MPIX_Continue",
                                      "MPIX_Continueall"};

struct Dynamic {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  std::uint32_t undefined_end = 0;  // all undefined symbols have smaller indices
};

// glibc has put the addresses into the table; other loaders leave offsets.
template <class T>
const T* at(const dl_phdr_info& object, ElfW(Addr) value) {
  return reinterpret_cast<const T*>(value < object.dlpi_addr ? object.dlpi_addr + value : value);
}

Dynamic dynamic_of(const dl_phdr_info& object) {
  Dynamic result;
  for (int k = 0; k < object.dlpi_phnum; ++k) {
    if (object.dlpi_phdr[k].p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[k].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_SYMTAB) result.symbols = at<ElfW(Sym)>(object, entry->d_un.d_ptr);
      if (entry->d_tag == DT_STRTAB) result.names = at<char>(object, entry->d_un.d_ptr);
      // The hash table holds the defined symbols, which stand last: its second word is the index of the first.
      if (entry->d_tag == DT_GNU_HASH) result.undefined_end = at<std::uint32_t>(object, entry->d_un.d_ptr)[1];
      if (entry->d_tag == DT_HASH && result.undefined_end == 0) {
        result.undefined_end = at<std::uint32_t>(object, entry->d_un.d_ptr)[1];  // the number of all symbols
      }
    }
  }
  return result;
}

bool imports_one(const dl_phdr_info& object, bool (*asked)(const char* name)) {
  const Dynamic dynamic = dynamic_of(object);
  if (dynamic.symbols == nullptr || dynamic.names == nullptr) return false;
  for (std::uint32_t k = 1; k < dynamic.undefined_end; ++k) {
    const ElfW(Sym) & symbol = dynamic.symbols[k];
    if (symbol.st_shndx == SHN_UNDEF && asked(dynamic.names + symbol.st_name)) return true;
  }
  return false;
}

}  // namespace

bool completes_unwrapped(const char* name) {
  for (const char* one : kUnwrapped) {
    if (std::strcmp(name, one) == 0) return true;
  }
  return false;
}

bool some_object_imports(bool (*asked)(const char* name)) {
  return dl_iterate_phdr(
             [](dl_phdr_info* object, std::size_t, void* data) {
               // The vDSO's table is not relocated like others, and asks for nothing.
               const bool is_vdso = object->dlpi_name != nullptr && std::strstr(object->dlpi_name, "vdso") != nullptr;
               return !is_vdso && imports_one(*object, *static_cast<bool (**)(const char*)>(data)) ? 1 : 0;
             },
             &asked) != 0;
}

}  // namespace gapless::preload

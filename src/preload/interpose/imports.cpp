#include "preload/interpose/imports.hpp"

#include <elf.h>
#include <link.h>

#include <algorithm>
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
  // All undefined symbols have smaller indices: what an object uses it is relocated for. (The table of GNU_HASH begins
  // with the first one behind them, but where an object defines nothing it says 1, and what is called by its address
  // may be in it.)
  std::uint32_t undefined_end = 0;
};

// glibc has put the addresses into the table; other loaders leave offsets.
template <class T>
const T* at(const dl_phdr_info& object, ElfW(Addr) value) {
  return reinterpret_cast<const T*>(value < object.dlpi_addr ? object.dlpi_addr + value : value);
}

// Relocations that name a symbol, of data or of calls.
struct Relocations {
  const ElfW(Rela) * first = nullptr;
  std::size_t bytes = 0, unnamed = 0;

  // Behind the largest index of a symbol that they name.
  std::uint32_t end() const {
    std::uint32_t end = 0;
    for (std::size_t k = unnamed; first != nullptr && k < bytes / sizeof *first; ++k) {
      end = std::max(end, static_cast<std::uint32_t>(ELF64_R_SYM(first[k].r_info)) + 1);
    }
    return end;
  }
};

Dynamic dynamic_of(const dl_phdr_info& object) {
  Dynamic result;
  Relocations data, calls;
  for (int k = 0; k < object.dlpi_phnum; ++k) {
    if (object.dlpi_phdr[k].p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[k].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_SYMTAB) result.symbols = at<ElfW(Sym)>(object, entry->d_un.d_ptr);
      if (entry->d_tag == DT_STRTAB) result.names = at<char>(object, entry->d_un.d_ptr);
      if (entry->d_tag == DT_RELA) data.first = at<ElfW(Rela)>(object, entry->d_un.d_ptr);
      if (entry->d_tag == DT_RELASZ) data.bytes = entry->d_un.d_val;
      if (entry->d_tag == DT_RELACOUNT) data.unnamed = entry->d_un.d_val;
      if (entry->d_tag == DT_JMPREL) calls.first = at<ElfW(Rela)>(object, entry->d_un.d_ptr);
      if (entry->d_tag == DT_PLTRELSZ) calls.bytes = entry->d_un.d_val;
    }
  }
  result.undefined_end = std::max(data.end(), calls.end());
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

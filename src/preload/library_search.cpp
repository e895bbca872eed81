#include "preload/library_search.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <string>
#include <vector>

namespace gapless::preload {

namespace {

constexpr const char* kAnyProcedure = "PMPI_Init";
void* library_handle = RTLD_NEXT;

// Each front says under this name what lies behind it: where one stands behind this one, its trampolines are no
// definitions, or they would lead around the tools between it and the library.
constexpr const char* kFrontNext = "gapless_front_next";
using FrontNext = void* (*)(const char* name);

void* look_up(void* handle, const char* name) noexcept {
  void* symbol = dlsym(handle, name);
  // RTLD_NEXT counts from whoever dlsym returns to. A tail call would make that the backend, behind which is nothing.
  asm volatile("" : "+r"(symbol));
  return symbol;
}

bool is_own(void* symbol) noexcept {
  return same_object(symbol, reinterpret_cast<void*>(&search_library));
}

void* look_behind_fronts(void* handle, const char* name) noexcept {
  void* const symbol = look_up(handle, name);
  if (symbol == nullptr) return nullptr;
  void* const other = look_up(handle, kFrontNext);
  if (other == nullptr || is_own(other) || !same_object(symbol, other)) return symbol;
  return reinterpret_cast<FrontNext>(other)(name);
}

// A library that was opened locally (Python opens its extension modules so) is not in the search order behind this
// object; but whoever called MPI was bound to it, and what it was linked with is searched through its own handle.
// The symbol must not be our own trampoline, to which the program's handle leads back.
bool find_through(const char* object) noexcept {
  void* const handle = dlopen(object, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return false;
  void* const symbol = look_behind_fronts(handle, kAnyProcedure);
  if (symbol != nullptr && !is_own(symbol)) {
    library_handle = handle;  // kept: it must stay loaded as long as the slots lead there
    return true;
  }
  dlclose(handle);
  return false;
}

// Collected first: nothing may be opened while the loader walks its list.
std::vector<std::string> loaded_objects() {
  std::vector<std::string> names;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        if (info->dlpi_name != nullptr && info->dlpi_name[0] != '\0') {
          static_cast<std::vector<std::string>*>(data)->emplace_back(info->dlpi_name);
        }
        return 0;
      },
      &names);
  return names;
}

}  // namespace

const char* abi_name(Abi abi) noexcept {
  switch (abi) {
    case Abi::kOpenMpi:
      return "openmpi";
    case Abi::kStandard:
      return "standard";
    default:
      return "mpich";
  }
}

bool search_library(void* caller) noexcept {
  if (look_behind_fronts(RTLD_NEXT, kAnyProcedure) != nullptr) return true;
  Dl_info where{};
  link_map* object = nullptr;
  if (dladdr1(caller, &where, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) != 0 && object != nullptr &&
      object->l_name != nullptr && object->l_name[0] != '\0' && find_through(object->l_name)) {
    return true;
  }
  // A caller that was opened late and is itself linked with nothing: any loaded MPI library is the one it means.
  for (const std::string& name : loaded_objects()) {
    if (find_through(name.c_str())) return true;
  }
  return false;
}

void* next_symbol(const char* name) noexcept {
  return look_behind_fronts(library_handle, name);
}

void* visible_data(const char* name) noexcept {
  // A program that is not position-independent has a copy of the variable, which then is the variable for all; the
  // library's own is dead. The copy is found in the global order, which starts with the program.
  void* const found = dlsym(RTLD_DEFAULT, name);
  return found != nullptr ? found : next_symbol(name);
}

bool same_object(void* a, void* b) noexcept {
  Dl_info first{}, second{};
  return dladdr(a, &first) != 0 && dladdr(b, &second) != 0 && first.dli_fbase == second.dli_fbase;
}

Abi detect_abi() noexcept {
  if (next_symbol("ompi_mpi_comm_world") != nullptr) {
    // Open MPI's own ABI has its predefined handles as data.
    return Abi::kOpenMpi;
  }
  using AbiVersion = int (*)(int*, int*);
  int major = 0, minor = 0;
  const auto version = reinterpret_cast<AbiVersion>(next_symbol("MPI_Abi_get_version"));
  if (version != nullptr && version(&major, &minor) == 0 && major > 0) return Abi::kStandard;
  return Abi::kMpich;
}

}  // namespace gapless::preload

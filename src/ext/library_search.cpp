#include "ext/library_search.hpp"

#include <dlfcn.h>
#include <link.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/mpi_abi.hpp"
#include "mpi/abi/abi.hpp"

namespace gapless::ext {

namespace {

constexpr std::string_view kOwnAbi = mpi::kAbiName;
constexpr const char* kAnyProcedure = "PMPI_Initialized";

// The library where it is not in the global scope; otherwise that scope. Set by the first search that found one.
void* library_handle = RTLD_DEFAULT;
// What lies behind the layer, if it is there (preload/interpose/front.map).
using FrontNext = void* (*)(const char* name);
FrontNext front_next = nullptr;

// An object that is opened already, and stays so.
void* open_loaded(const char* name) noexcept {
  return dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
}

// Python opens its extension modules, and what they are linked with, out of everybody's sight.
void* search_local() noexcept {
  std::vector<std::string> names;  // collected first: nothing may be opened while the loader walks its list
  try {
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
          if (info->dlpi_name != nullptr && info->dlpi_name[0] != '\0') {
            static_cast<std::vector<std::string>*>(data)->emplace_back(info->dlpi_name);
          }
          return 0;
        },
        &names);
  } catch (...) {  // no memory: nothing is found
  }
  for (const std::string& name : names) {
    void* const handle = open_loaded(name.c_str());
    if (handle == nullptr) continue;
    if (dlsym(handle, kAnyProcedure) != nullptr) return handle;
    dlclose(handle);
  }
  return nullptr;
}

void* look_up(const char* name) noexcept {
  void* const found = dlsym(RTLD_DEFAULT, name);
  return found != nullptr || library_handle == RTLD_DEFAULT ? found : dlsym(library_handle, name);
}

}  // namespace

const char* search_library() noexcept {
  if (look_up(kAnyProcedure) == nullptr) {
    void* const handle = search_local();
    if (handle == nullptr) return "the program has no MPI library";
    library_handle = handle;
  }
  const auto next = reinterpret_cast<FrontNext>(dlsym(RTLD_DEFAULT, "gapless_front_next"));
  front_next = next != nullptr && next(kAnyProcedure) != nullptr ? next : nullptr;
  if (base::abi_of(look_up) == kOwnAbi) return nullptr;
  return kOwnAbi == "openmpi" ? "this is Gapless for Open MPI's ABI, and the program's MPI library has another one"
         : kOwnAbi == "mpich" ? "this is Gapless for MPICH's ABI, and the program's MPI library has another one"
                              : "this is Gapless for the standard ABI, and the program's MPI library has another one";
}

void* find_library(const char* name) noexcept {
  return front_next != nullptr ? front_next(name) : look_up(name);
}

void* find_visible(const char* name) noexcept {
  return look_up(name);
}

// The global scope begins with the program, which has a copy of the variable if it is bound to a fixed address.
void* find_data(const char* name) noexcept {
  return look_up(name);
}

}  // namespace gapless::ext

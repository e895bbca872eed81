#include "preload/interpose/library_search.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <string>
#include <vector>

#include "base/loaded_object.hpp"

namespace gapless::preload {

namespace {

constexpr const char* kAnyProcedure = "PMPI_Init";

// Through which the library is searched. The first who finds it elsewhere than in the loader's order sets it.
void* library_handle = RTLD_NEXT;

void* known_handle() noexcept {
  return __atomic_load_n(&library_handle, __ATOMIC_ACQUIRE);
}

// Kept: the library must stay loaded as long as the slots lead there.
void keep(void* handle) noexcept {
  void* before = RTLD_NEXT;
  if (!__atomic_compare_exchange_n(&library_handle, &before, handle, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    dlclose(handle);
  }
}

// The loader's own dlsym: the one by the plain name is ours (look_up.S). This version of it is in every glibc: that
// with which the machine's ABI began.
#if defined(__x86_64__)
constexpr const char* kFirstGlibc = "GLIBC_2.2.5";
#elif defined(__aarch64__)
constexpr const char* kFirstGlibc = "GLIBC_2.17";
#else
#error "dlsym: name the version of glibc with which this machine's ABI began"
#endif
using Dlsym = void* (*)(void* handle, const char* name);
Dlsym loaders_dlsym() noexcept {
  static Dlsym found = nullptr;
  Dlsym dlsym_here = __atomic_load_n(&found, __ATOMIC_RELAXED);
  if (dlsym_here == nullptr) {
    dlsym_here = reinterpret_cast<Dlsym>(dlvsym(RTLD_NEXT, "dlsym", kFirstGlibc));
    __atomic_store_n(&found, dlsym_here, __ATOMIC_RELAXED);
  }
  return dlsym_here;
}

// Each front says under this name what lies behind it: where one stands behind this one, its trampolines are no
// definitions, or they would lead around the tools between it and the library.
constexpr const char* kFrontNext = "gapless_front_next";
using FrontNext = void* (*)(const char* name);

void* look_up(void* handle, const char* name) noexcept {
  void* symbol = loaders_dlsym()(handle, name);
  // RTLD_NEXT counts from whoever dlsym returns to. A tail call would make that the backend, behind which is nothing.
  asm volatile("" : "+r"(symbol));
  return symbol;
}

bool is_own(void* symbol) noexcept {
  return same_object(reinterpret_cast<void*>(&search_library), symbol);  // this object is among the loader's first
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
    keep(handle);
    return true;
  }
  dlclose(handle);
  return false;
}

struct Loaded {
  std::string name;
  ElfW(Addr) at;
};

// In the loader's order. Collected first: nothing may be opened while the loader walks its list.
std::vector<Loaded> loaded_objects() {
  std::vector<Loaded> objects;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        if (info->dlpi_name != nullptr && info->dlpi_name[0] != '\0') {
          static_cast<std::vector<Loaded>*>(data)->push_back({info->dlpi_name, info->dlpi_addr});
        }
        return 0;
      },
      &objects);
  return objects;
}

const link_map* object_at(void* address) noexcept {
  Dl_info where{};
  link_map* object = nullptr;
  return dladdr1(address, &where, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) != 0 ? object : nullptr;
}

// True if the object itself defines the symbol, not one that it was linked with.
bool defines(const Loaded& object, const char* name) noexcept {
  void* const handle = dlopen(object.name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return false;
  void* const symbol = look_up(handle, name);
  const link_map* const home = symbol == nullptr ? nullptr : object_at(symbol);
  dlclose(handle);
  return home != nullptr && home->l_addr == object.at;
}

}  // namespace

bool search_library(void* caller) noexcept {
  if (look_behind_fronts(known_handle(), kAnyProcedure) != nullptr) return true;
  const link_map* const object = object_at(caller);
  if (object != nullptr && object->l_name != nullptr && object->l_name[0] != '\0' && find_through(object->l_name)) {
    return true;
  }
  // A caller that was opened late and is itself linked with nothing: any loaded MPI library is the one it means.
  for (const Loaded& one : loaded_objects()) {
    if (find_through(one.name.c_str())) return true;
  }
  return false;
}

void* next_symbol(const char* name) noexcept {
  return look_behind_fronts(known_handle(), name);
}

void* visible_data(const char* name) noexcept {
  // A program that is not position-independent has a copy of the variable, which then is the variable for all; the
  // library's own is dead. The copy is found in the global order, which starts with the program.
  void* const found = dlsym(RTLD_DEFAULT, name);
  return found != nullptr ? found : next_symbol(name);
}

bool same_object(void* a, void* b) noexcept {
  if (const base::LoadedObject home = base::object_around(a); home.bytes != 0) return home.has(b);
  Dl_info first{}, second{};
  return dladdr(a, &first) != 0 && dladdr(b, &second) != 0 && first.dli_fbase == second.dli_fbase;
}

void* next_dlsym() noexcept {
  void* const next = look_up(RTLD_NEXT, "dlsym");
  return next != nullptr ? next : reinterpret_cast<void*>(loaders_dlsym());
}

bool library_has(void* address) noexcept {
  void* const known = next_symbol(kAnyProcedure);
  return known != nullptr && same_object(address, known);
}

bool library_answers(void* handle, const char* name) noexcept {
  void* const symbol = look_up(handle, name);
  if (symbol == nullptr || is_own(symbol)) return false;
  if (next_symbol(kAnyProcedure) == nullptr) {
    void* const init = look_up(handle, kAnyProcedure);
    const link_map* const object = init != nullptr && same_object(symbol, init) ? object_at(init) : nullptr;
    if (object == nullptr) return false;
    if (void* const kept = dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD); kept != nullptr) keep(kept);
  }
  return library_has(symbol);
}

bool library_is_next(const char* name, void* caller) noexcept {
  void* const known = next_symbol(kAnyProcedure);
  if (known == nullptr || known_handle() != RTLD_NEXT) return false;
  const link_map* const here = object_at(reinterpret_cast<void*>(&search_library));
  const link_map* const asking = object_at(caller);
  const link_map* const library = object_at(known);
  if (here == nullptr || asking == nullptr || library == nullptr || asking == library) return false;
  try {
    enum { kBeforeUs, kBehindUs, kBehindCaller } place = kBeforeUs;
    for (const Loaded& one : loaded_objects()) {
      if (place == kBehindCaller && defines(one, name)) return one.at == library->l_addr;
      if (place == kBehindUs && one.at == asking->l_addr) place = kBehindCaller;
      if (place == kBeforeUs && one.at == here->l_addr) place = kBehindUs;
    }
  } catch (...) {  // no memory: the loader answers
  }
  return false;
}

std::string library_file() {
  void* const known = search_library(nullptr) ? next_symbol(kAnyProcedure) : nullptr;
  const link_map* const object = known == nullptr ? nullptr : object_at(known);
  return object == nullptr ? "" : object->l_name;
}

}  // namespace gapless::preload

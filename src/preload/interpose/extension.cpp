// Where the trampolines of gapless_mpi.h lead: to the program's own libgapless_mpi, if it is linked with one, or to the
// one beside the front, which is opened when a function of it is first called.
#include <dlfcn.h>
#include <pthread.h>

#include <cstdio>
#include <cstring>
#include <iterator>
#include <string>

#include "preload/interpose/front.hpp"
#include "preload/interpose/own_folder.hpp"

extern "C" {
extern void* gapless_extension_slots[];  // extension.S, in the order of extension.def
void* gapless_extension_resolve(void** slot, void* caller);
}

namespace {

using namespace gapless::preload;

struct Function {
  const char* name;
  bool returns_text;
};
constexpr Function kFunctions[] = {
#define GAPLESS_CODE(name) {#name, false},
#define GAPLESS_TEXT(name) {#name, true},
#include "preload/interpose/extension.def"
#undef GAPLESS_CODE
#undef GAPLESS_TEXT
};

pthread_mutex_t resolving = PTHREAD_MUTEX_INITIALIZER;
bool resolved = false;

// For a function that is not there. MPI_ERR_OTHER: nothing is raised, for nothing is known of the library but its ABI.
int missing_in_mpich() {
  return 15;
}
int missing_elsewhere() {
  return 16;
}
const char* missing_text() {
  return nullptr;
}

void* missing(const Function& function) noexcept {
  if (function.returns_text) return reinterpret_cast<void*>(&missing_text);
  const bool is_mpich = std::strcmp(library_abi(), "mpich") == 0;
  return reinterpret_cast<void*>(is_mpich ? &missing_in_mpich : &missing_elsewhere);
}

// Of the program's own one, behind this object; a front that stands there finds it in turn.
void* behind(const char* name) noexcept {
  return dlsym(RTLD_NEXT, name);
}

void* open_own(std::string& why) {
  const std::string path = own_folder() + "libgapless_mpi_" + library_abi() + ".so";
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) why = dlerror();
  return handle;
}

void say(const std::string& why) noexcept {
  std::fprintf(stderr, "gapless: the functions of gapless_mpi.h are not there: %s\n", why.c_str());
}

// Returns whether it is done for good: not as long as there is no MPI library, of which one does not know the ABI.
bool resolve(void* caller) {
  if (find_library(caller) != nullptr) {
    say("the process has no MPI library");
    return false;
  }
  const bool has_own = behind(kFunctions[0].name) != nullptr;
  std::string why;
  void* const handle = has_own ? nullptr : open_own(why);
  for (std::size_t k = 0; k < std::size(kFunctions); ++k) {
    const char* const name = kFunctions[k].name;
    void* found = has_own ? behind(name) : handle != nullptr ? dlsym(handle, name) : nullptr;
    if (found == nullptr) found = missing(kFunctions[k]);
    __atomic_store_n(&gapless_extension_slots[k], found, __ATOMIC_RELEASE);
  }
  if (!why.empty()) say(why);
  return true;
}

}  // namespace

// Called by the trampolines' first calls; returns where the call goes on.
void* gapless_extension_resolve(void** slot, void* caller) {
  pthread_mutex_lock(&resolving);
  resolved = resolved || resolve(caller);
  void* const found =
      resolved ? __atomic_load_n(slot, __ATOMIC_ACQUIRE) : missing(kFunctions[slot - gapless_extension_slots]);
  pthread_mutex_unlock(&resolving);
  return found;
}

// Which look-ups by name the front answers itself: those that would lead to the MPI library's own definition of a
// procedure that it serves. The answer is the trampoline of PMPI_X, which stands right before the library: so a tool
// that looks for what lies behind it never gets itself, and a program that asks the library past all tools passes them
// still. Where the loader's order leads to a trampoline anyhow, nothing is to be done.
#include "preload/interpose/look_up.hpp"

#include <dlfcn.h>

#include <cstring>
#include <iterator>

#include "base/settings.hpp"
#include "preload/interpose/imports.hpp"
#include "preload/interpose/library_search.hpp"

extern "C" {
extern void* const gapless_preload_inner[];  // trampolines.S: PMPI_X of each of kServed
void* gapless_preload_next_dlsym = nullptr;  // look_up.S
void* gapless_preload_find_dlsym() noexcept;
void* gapless_preload_answer(void* handle, const char* name, void* caller) noexcept;
}

namespace gapless::preload {

namespace {

// The procedures that this front has, in the order of trampolines.S.
constexpr const char* kServed[] = {
#define GAPLESS_EACH(name) "PMPI_" #name,
#define GAPLESS_OTHER(name)
#include "preload/interpose/since.inc"
// After it: the table in the sense of the above.
#include "mpi/abi/procedures.def"
};

int looked_up = 0;

// Procedures that came with MPI 4.0 and 4.1, which some fronts have not.
constexpr const char* kComplete[] = {"Request_get_status_all",
                                     "Request_get_status_any",
                                     "Request_get_status_some",
                                     "Recv_c",
                                     "Irecv_c",
                                     "Mrecv_c",
                                     "Imrecv_c",
                                     "Recv_init_c",
                                     "Sendrecv_c",
                                     "Sendrecv_replace_c",
                                     "Isendrecv",
                                     "Isendrecv_c",
                                     "Isendrecv_replace",
                                     "Isendrecv_replace_c"};

// The number of MPI_X or PMPI_X among those served; as many as there are if it is none.
std::size_t find_served(const char* name) noexcept {
  const std::size_t skipped = name[0] == 'P' ? 0 : 1;
  std::size_t k = 0;
  while (k < std::size(kServed) && std::strcmp(kServed[k] + skipped, name) != 0) ++k;
  return k;
}

}  // namespace

bool completes_unserved(const char* name) {
  const char* const own = name[0] == 'P' ? name + 1 : name;
  if (std::strncmp(own, "MPI_", 4) == 0) {
    for (const char* const one : kComplete) {
      if (std::strcmp(own + 4, one) == 0) return find_served(name) == std::size(kServed);
    }
  }
  return completes_unwrapped(name);
}

const int* completion_looked_up() noexcept {
  return &looked_up;
}

}  // namespace gapless::preload

using namespace gapless;
using namespace gapless::preload;

// True if the caller gets anything: bindings ask for whatever some library has. Of RTLD_NEXT only the caller's own
// look-up tells.
static bool is_there(void* handle, const char* name) noexcept {
  if (handle == RTLD_NEXT) return true;
  const auto next = reinterpret_cast<void* (*)(void*, const char*)>(gapless_preload_find_dlsym());
  const bool found = next == nullptr || next(handle, name) != nullptr;
  dlerror();
  return found;
}

// Another preloaded object may stand before the loader's.
void* gapless_preload_find_dlsym() noexcept {
  void* const next = next_dlsym();
  __atomic_store_n(&gapless_preload_next_dlsym, next, __ATOMIC_RELAXED);
  return next;
}

// What dlsym(handle, name) answers to that caller instead of the truth; nullptr: nothing. An error of our own look-ups
// is not left for the caller's dlerror.
void* gapless_preload_answer(void* handle, const char* name, void* caller) noexcept {
  if (completes_unserved(name) && (completes_unwrapped(name) || is_there(handle, name)))
    __atomic_store_n(&looked_up, 1, __ATOMIC_RELAXED);
  if (handle == RTLD_DEFAULT) return nullptr;
  const std::size_t k = find_served(name);
  if (k == std::size(kServed) || base::setting_on("GAPLESS_DISABLE")) return nullptr;
  const bool ours =
      handle == RTLD_NEXT ? library_is_next(name, caller) : library_answers(handle, name) && !library_has(caller);
  if (!ours) return nullptr;
  dlerror();
  return gapless_preload_inner[k];
}

// The front between a program and a shared MPI library, preloaded or linked: nothing here is linked with MPI, and the
// backend is opened when the library's ABI is known.
#include <dlfcn.h>

#include <climits>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "base/mpi_abi.hpp"
#include "base/settings.hpp"
#include "preload/interpose/front.hpp"
#include "preload/interpose/imports.hpp"
#include "preload/interpose/library_search.hpp"
#include "preload/interpose/look_up.hpp"
#include "preload/interpose/own_folder.hpp"
#include "preload/stats/run_file.hpp"

extern "C" {
extern void* gapless_preload_slots[];  // trampolines.S: MPI_X, PMPI_X, ... of each of kServed
int GAPLESS_Switch(int on);
void* gapless_front_next(const char* name);
}

namespace gapless::preload {

namespace {

// The procedures that this front has, in the order of trampolines.S.
constexpr Procedure kServed[] = {
#define GAPLESS_EACH(name) Procedure::k##name,
#define GAPLESS_OTHER(name)
#include "preload/interpose/since.inc"
// After it: the table in the sense of the above.
#include "mpi/abi/procedures.def"
};

// At the end: a process that has an MPI library, but no call of it came here, says so to who started it. The library
// itself is not asked: it may have ended before.
[[gnu::destructor]] void tell_of_calls_that_passed_by() {
  if (called() || base::setting_text("GAPLESS_RUN_DIR") == nullptr || base::setting_on("GAPLESS_DISABLE") ||
      another_front_leads()) {
    return;
  }
  try {
    RunFile file;
    file.library = library_file();
    if (file.library.empty()) return;
    file.native =
        "the program has loaded this library, but calls none of the procedures that the layer serves, or calls them "
        "past the loader's order (opened with RTLD_DEEPBIND, or found otherwise than by dlsym)";
    write_run_file(file);
  } catch (...) {  // no memory: nothing is said
  }
}

bool imports_unwrapped_completion() {
  // A weak import of what the library has not is called by nobody (mpi4py's of the procedures with large counts).
  return __atomic_load_n(completion_looked_up(), __ATOMIC_RELAXED) != 0 ||
         some_object_imports([](const char* name) { return completes_unserved(name) && next_symbol(name) != nullptr; });
}

}  // namespace

std::string own_folder() {
  Dl_info own{};
  char path[PATH_MAX];
  if (dladdr(reinterpret_cast<void*>(&gapless_front_next), &own) == 0 || realpath(own.dli_fname, path) == nullptr) {
    return "";
  }
  return std::string(path, std::strrchr(path, '/') + 1);
}

const char* find_library(void* caller) noexcept {
  return search_library(caller) ? nullptr
                                : "an MPI procedure was called, but no MPI library is loaded. If the program is linked "
                                  "with the layer: name the MPI library behind it, after -Wl,--no-as-needed";
}

void* library_function(const char* name) noexcept {
  return next_symbol(name);
}

const char* library_abi() noexcept {
  return base::abi_of(next_symbol);
}

std::size_t served_count() noexcept {
  return std::size(kServed);
}

Served served(std::size_t k) noexcept {
  const char* const name = kProcedureNames[static_cast<int>(kServed[k])];
  char profiled[64] = "P";
  std::strncat(profiled, name, sizeof profiled - 2);
  Served one{kServed[k],        &gapless_preload_slots[2 * k], &gapless_preload_slots[2 * k + 1],
             next_symbol(name), next_symbol(profiled),         false};
  if (one.library == nullptr) one.library = one.next;
  one.tool_between = one.next != nullptr && one.next != one.library && !same_object(one.next, one.library);
  return one;
}

// A program that is linked with one front may be run with another one preloaded. The first in the search order leads:
// it is also the one whose GAPLESS_Switch a program finds.
bool another_front_leads() noexcept {
  void* const leader = dlsym(RTLD_DEFAULT, "GAPLESS_Switch");
  return leader != nullptr && !same_object(leader, reinterpret_cast<void*>(&gapless_front_next));
}

#ifdef GAPLESS_LARGE_COUNTS
static constexpr bool kServesLargeCounts = true;
#else
static constexpr bool kServesLargeCounts = false;
#endif

const Backend* open_backend(const Switches& switches, std::string& reason) {
  const std::string path = own_folder() + "libgapless_be_" + library_abi() + ".so";
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    reason = dlerror();
    return nullptr;
  }
  static const Front front{kInterfaceVersion,
                           next_symbol,
                           visible_data,
                           imports_unwrapped_completion,
                           completion_looked_up(),
                           &switches,
                           static_cast<int>(served_count()),
                           kServesLargeCounts};
  const auto start = reinterpret_cast<StartBackend>(dlsym(handle, kStartBackend));
  const char* why = "it has no start function";
  const Backend* const started = start == nullptr ? nullptr : start(&front, &why);
  if (started == nullptr) reason = path + ": " + why;
  return started;
}

}  // namespace gapless::preload

// What lies behind this front, for a front before it.
extern "C" [[gnu::visibility("default")]] void* gapless_front_next(const char* name) {
  return gapless::preload::next_symbol(name);
}

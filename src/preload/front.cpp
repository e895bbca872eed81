// The front: decides at the first MPI call where every trampoline leads, and fills the slots.
//
// A slot leads either to the backend's wrapper or straight to the next definition. Where another tool lies between this
// object and the library, MPI_X goes straight to the tool with the program's arguments, and the wrapper waits under
// PMPI_X, which the tool calls; otherwise the wrapper serves both. So a call is converted exactly once, and a tool sees
// it once, as the program made it.
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>

#include "base/settings.hpp"
#include "preload/front_to_backend.hpp"
#include "preload/imports.hpp"
#include "preload/library_search.hpp"
#include "preload/run_file.hpp"

using namespace gapless;
using namespace gapless::preload;

extern "C" {
extern void* gapless_preload_slots[];  // trampolines.S: MPI_X, PMPI_X, ... of each of kServed
void* gapless_preload_resolve(std::size_t slot, void* caller);
}

namespace {

// The procedures that this front has; the one without large counts leaves out MPI_X_c.
constexpr Procedure kServed[] = {
#if defined(GAPLESS_LARGE_COUNTS)
#define GAPLESS_COUNTED(name, arguments) Procedure::k##name, Procedure::k##name##_c,
#else
#define GAPLESS_COUNTED(name, arguments) Procedure::k##name,
#endif
#define GAPLESS_PLAIN(name, arguments) Procedure::k##name,
#define GAPLESS_SERVICE(name, arguments) Procedure::k##name,
#include "mpi/procedures.def"
#undef GAPLESS_COUNTED
#undef GAPLESS_PLAIN
#undef GAPLESS_SERVICE
};

pthread_mutex_t resolving = PTHREAD_MUTEX_INITIALIZER;
bool resolved = false;
int switched_on = 1;
const Backend* backend = nullptr;

// A procedure that this library does not have (sessions before MPI 4). A program that calls it would not have started
// without the layer; one that only asks whether the symbol exists gets an error code, never a jump to nowhere.
int missing_procedure() {
  return 16;
}

std::string own_folder() {
  Dl_info own{};
  char path[PATH_MAX];
  if (dladdr(reinterpret_cast<void*>(&gapless_preload_resolve), &own) == 0 ||
      realpath(own.dli_fname, path) == nullptr) {
    return "";
  }
  return std::string(path, std::strrchr(path, '/') + 1);
}

// The backend for the library's ABI, or nullptr and why there is none.
const Backend* open_backend(Abi abi, std::string& reason) {
  const std::string path = own_folder() + "libgapless_be_" + abi_name(abi) + ".so";
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    reason = dlerror();
    return nullptr;
  }
  static const Front front{kInterfaceVersion, next_symbol, visible_data, imports_unwrapped_completion, &switched_on};
  const auto start = reinterpret_cast<StartBackend>(dlsym(handle, kStartBackend));
  const char* why = "it has no start function";
  const Backend* const started = start == nullptr ? nullptr : start(&front, &why);
  if (started == nullptr) reason = path + ": " + why;
  return started;
}

void report_native(Abi abi, const std::string& reason) {
  RunFile file;
  file.abi = abi_name(abi);
  file.native = reason;
  static char version[8192];
  int length = 0;
  using GetVersion = int (*)(char*, int*);
  const auto get_version = reinterpret_cast<GetVersion>(next_symbol("PMPI_Get_library_version"));
  if (get_version != nullptr && get_version(version, &length) == 0) file.library = first_line(version);
  write_run_file(file);
}

void fill_slots() {
  for (std::size_t k = 0; k < std::size(kServed); ++k) {
    const int procedure = static_cast<int>(kServed[k]);
    const std::string profiled = std::string("P") + kProcedureNames[procedure];
    void* next = next_symbol(kProcedureNames[procedure]);
    void* library = next_symbol(profiled.c_str());
    if (library == nullptr) library = next;
    const bool exists = library != nullptr;
    if (!exists) library = reinterpret_cast<void*>(&missing_procedure);
    if (next == nullptr) next = library;
    const bool tool_between = exists && !same_object(next, library);
    void* const wrapper = backend != nullptr && exists ? backend->wrappers[procedure] : nullptr;
    void* const outer = wrapper == nullptr || tool_between ? next : wrapper;
    void* const inner = wrapper == nullptr ? library : wrapper;
    __atomic_store_n(&gapless_preload_slots[2 * k], outer, __ATOMIC_RELEASE);
    __atomic_store_n(&gapless_preload_slots[2 * k + 1], inner, __ATOMIC_RELEASE);
  }
}

void resolve_all(void* caller) {
  if (!find_library(caller)) {
    // What the loader says and does if a program calls a function that is nowhere.
    std::fputs("gapless: symbol lookup error: an MPI procedure was called, but no MPI library is loaded\n", stderr);
    _exit(127);
  }
  if (!base::setting_on("GAPLESS_DISABLE")) {
    const Abi abi = detect_abi();
    std::string reason;
    const Backend* const opened = open_backend(abi, reason);
    __atomic_store_n(&backend, opened, __ATOMIC_RELEASE);
    if (opened == nullptr) report_native(abi, reason);
  }
  fill_slots();
}

}  // namespace

// Called by the trampolines' first calls; returns where the call goes on.
void* gapless_preload_resolve(std::size_t slot, void* caller) {
  pthread_mutex_lock(&resolving);
  if (!resolved) {
    resolve_all(caller);
    resolved = true;
  }
  pthread_mutex_unlock(&resolving);
  return __atomic_load_n(&gapless_preload_slots[slot], __ATOMIC_ACQUIRE);
}

extern "C" [[gnu::visibility("default")]] int GAPLESS_Switch(int on) {
  return __atomic_exchange_n(&switched_on, on != 0 ? 1 : 0, __ATOMIC_RELAXED);
}

extern "C" [[gnu::visibility("default")]] int GAPLESS_Count(const char* procedure, GAPLESS_Counters* counters) {
  const Backend* const opened = __atomic_load_n(&backend, __ATOMIC_ACQUIRE);
  if (opened == nullptr || procedure == nullptr || counters == nullptr) return 1;
  return opened->count(procedure, counters);
}

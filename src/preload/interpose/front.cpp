// The front: decides at the first MPI call where every trampoline leads, and fills the slots.
//
// A slot leads either to the backend's wrapper or straight to the next definition. Where another tool lies between the
// front and the library, MPI_X goes straight to the tool with the program's arguments, and the wrapper waits under
// PMPI_X, which the tool calls; otherwise the wrapper serves both. So a call is converted exactly once, and a tool sees
// it once, as the program made it.
#include "preload/interpose/front.hpp"

#include <pthread.h>
#include <unistd.h>

#include <cstdio>

#include "base/settings.hpp"
#include "preload/stats/run_file.hpp"

using namespace gapless;
using namespace gapless::preload;

extern "C" void* gapless_preload_resolve(void** slot, void* caller);

namespace {

pthread_mutex_t resolving = PTHREAD_MUTEX_INITIALIZER;
bool resolved = false;
Switches switches;
const Backend* backend = nullptr;

// A procedure that this library does not have (sessions before MPI 4). A program that calls it would not have started
// without the layer; one that only asks whether the symbol exists gets an error code, never a jump to nowhere.
int missing_procedure() {
  return 16;
}

void report_native(const std::string& reason) {
  RunFile file;
  file.abi = library_abi();
  file.native = reason;
  static char version[8192];
  int length = 0;
  using GetVersion = int (*)(char*, int*);
  const auto get_version = reinterpret_cast<GetVersion>(library_function("PMPI_Get_library_version"));
  if (get_version != nullptr && get_version(version, &length) == 0) file.library = first_line(version);
  write_run_file(file);
}

void fill_slots() {
  for (std::size_t k = 0; k < served_count(); ++k) {
    const Served one = served(k);
    const bool exists = one.library != nullptr;
    void* const library = exists ? one.library : reinterpret_cast<void*>(&missing_procedure);
    void* const next = one.next != nullptr ? one.next : library;
    void* const wrapper = backend != nullptr && exists ? backend->wrappers[static_cast<int>(one.procedure)] : nullptr;
    void* const outer = wrapper == nullptr || one.tool_between ? next : wrapper;
    void* const inner = wrapper == nullptr ? library : wrapper;
    __atomic_store_n(one.outer_slot, outer, __ATOMIC_RELEASE);
    __atomic_store_n(one.inner_slot, inner, __ATOMIC_RELEASE);
  }
}

void resolve_all(void* caller) {
  if (const char* const why = find_library(caller); why != nullptr) {
    // What the loader says and does if a program calls a function that is nowhere.
    std::fprintf(stderr, "gapless: symbol lookup error: %s\n", why);
    _exit(127);
  }
  if (!base::setting_on("GAPLESS_DISABLE") && !another_front_leads()) {
    std::string reason;
    const Backend* const opened = open_backend(switches, reason);
    __atomic_store_n(&backend, opened, __ATOMIC_RELEASE);
    if (opened == nullptr) report_native(reason);
  }
  fill_slots();
}

// Returns the previous state.
int set(int& one, int on) {
  return __atomic_exchange_n(&one, on, __ATOMIC_RELAXED);
}

}  // namespace

bool gapless::preload::called() noexcept {
  return __atomic_load_n(&resolved, __ATOMIC_ACQUIRE);
}

// Called by the trampolines' first calls; returns where the call goes on.
void* gapless_preload_resolve(void** slot, void* caller) {
  pthread_mutex_lock(&resolving);
  if (!resolved) {
    resolve_all(caller);
    __atomic_store_n(&resolved, true, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&resolving);
  return __atomic_load_n(slot, __ATOMIC_ACQUIRE);
}

extern "C" [[gnu::visibility("default")]] int GAPLESS_Switch(int on) {
  return set(switches.on, on == 2 ? 2 : on != 0 ? 1 : 0);
}

extern "C" [[gnu::visibility("default")]] int GAPLESS_Switch_collectives(int on) {
  return set(switches.collectives, on == 2 ? 2 : on != 0 ? 1 : 0);
}

extern "C" [[gnu::visibility("default")]] int GAPLESS_Switch_paired(int on) {
  return set(switches.paired, on != 0 ? 1 : 0);
}

extern "C" [[gnu::visibility("default")]] int GAPLESS_Switch_way(int way) {
  if (way < GAPLESS_WAY_ADAPTIVE || way > GAPLESS_WAY_DIRECT) return __atomic_load_n(&switches.way, __ATOMIC_RELAXED);
  return set(switches.way, way);
}

extern "C" [[gnu::visibility("default")]] int GAPLESS_Count(const char* procedure, GAPLESS_Counters* counters) {
  const Backend* const opened = __atomic_load_n(&backend, __ATOMIC_ACQUIRE);
  if (opened == nullptr || procedure == nullptr || counters == nullptr) return 1;
  return opened->count(procedure, counters);
}

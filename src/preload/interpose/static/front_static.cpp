// The front in a program that is linked with a static MPI library: everything is known to the linker, nothing is
// opened.
#include <cstdint>
#include <cstring>

#include "preload/interpose/front.hpp"
#include "preload/interpose/imports.hpp"

using gapless::preload::Backend;
using gapless::preload::Front;

extern "C" {

// static_trampolines.S, an entry for each procedure of the versions of MPI that the program needs.
struct StaticProcedure {
  std::int64_t procedure;
  void** outer_slot;
  void** inner_slot;
  void* library;     // __real_PMPI_X
  void* named;       // PMPI_X as a reference to it was linked: where it is wrapped, the trampoline
  void* trampoline;  // __wrap_PMPI_X
};
[[gnu::visibility("hidden")]] extern const StaticProcedure __start_gapless_static_table[],
    __stop_gapless_static_table[];

const Backend* gapless_start_backend(const Front* front, const char** reason);

// The library's, by name only: types are the backend's business. Weak: what the library lacks stays null. A library
// that has MPI_X_c has it beside MPI_X, which is in the program already.
#define GAPLESS_NEEDED(name, arguments) void PMPI_##name();
#define GAPLESS_LARGE(name, arguments) [[gnu::weak]] void PMPI_##name();
#include "mpi/abi/library.def"
#undef GAPLESS_NEEDED
#undef GAPLESS_LARGE
#define GAPLESS_COUNTED(name, arguments) \
  [[gnu::weak]] void PMPI_##name##_c();  \
  [[gnu::weak]] void __real_PMPI_##name##_c();
#define GAPLESS_PLAIN(name, arguments)
#define GAPLESS_SERVICE(name, arguments)
#include "mpi/abi/procedures.def"
#undef GAPLESS_COUNTED

// static_unwrapped_completion.S. Not hidden here: in a position-independent program gold does not let the address of a
// hidden symbol be null.
[[gnu::weak]] extern const char gapless_static_completes_unwrapped;
}

namespace gapless::preload {

namespace {

bool is_wrapped(const StaticProcedure& one) noexcept {
  return one.named == one.trampoline;
}

// True if the linker leads all references to PMPI_X to the trampolines.
bool all_wrapped() noexcept {
  for (const StaticProcedure* one = __start_gapless_static_table; one != __stop_gapless_static_table; ++one) {
    if (!is_wrapped(*one)) return false;
  }
  return true;
}

struct Function {
  const char* name;
  void (*wrapped)();    // where the linker wraps PMPI_X
  void (*unwrapped)();  // where it does not
};

// volatile: what the linker decided must not be foreseen.
const volatile Function kFunctions[] = {
#define GAPLESS_NEEDED(name, arguments) {"PMPI_" #name, PMPI_##name, PMPI_##name},
#define GAPLESS_LARGE(name, arguments) GAPLESS_NEEDED(name, arguments)
#include "mpi/abi/library.def"
#define GAPLESS_COUNTED(name, arguments) {"PMPI_" #name "_c", __real_PMPI_##name##_c, PMPI_##name##_c},
#include "mpi/abi/procedures.def"
#undef GAPLESS_NEEDED
#undef GAPLESS_LARGE
#undef GAPLESS_COUNTED
#undef GAPLESS_PLAIN
#undef GAPLESS_SERVICE
};

void* find_data(const char*) noexcept {
  return nullptr;  // in the MPICH ABI, handles are numbers
}

// A call of PMPI_Wait that is not wrapped would complete a receive behind the wrappers' back, one of PMPI_Start start a
// send that is not packed, and no table says who makes one; so without --wrap all receives and all persistent requests
// stay native. A shared object is bound to the library's PMPI_X in any case.
bool imports_unwrapped_completion() {
  return !all_wrapped() || &gapless_static_completes_unwrapped != nullptr || some_object_imports([](const char* name) {
    return completes_unwrapped(name) || std::strncmp(name, "PMPI_Wait", 9) == 0 ||
           std::strncmp(name, "PMPI_Test", 9) == 0 || std::strncmp(name, "PMPI_Request_", 13) == 0 ||
           std::strncmp(name, "PMPI_Start", 10) == 0 || std::strncmp(name, "PMPI_Pready", 11) == 0 ||
           std::strcmp(name, "PMPI_Parrived") == 0;
  });
}

}  // namespace

const char* find_library(void*) noexcept {
  return nullptr;  // it is in the program
}

void* library_function(const char* name) noexcept {
  for (std::size_t k = 0; k < served_count(); ++k) {
    const Served one = served(k);
    if (std::strcmp(kProcedureNames[static_cast<int>(one.procedure)], name + 1) == 0) return one.library;
  }
  const bool wrapped = all_wrapped();
  for (const volatile Function& one : kFunctions) {
    if (std::strcmp(one.name, name) == 0) return reinterpret_cast<void*>(wrapped ? one.wrapped : one.unwrapped);
  }
  return nullptr;
}

const char* library_abi() noexcept {
  return "mpich";
}

std::size_t served_count() noexcept {
  return static_cast<std::size_t>(__stop_gapless_static_table - __start_gapless_static_table);
}

// A tool in the program has displaced the weak MPI_X, and calls PMPI_X: there is nothing for it to be asked here.
Served served(std::size_t k) noexcept {
  const StaticProcedure& one = __start_gapless_static_table[k];
  void* const library = is_wrapped(one) ? one.library : one.named;
  return {static_cast<Procedure>(one.procedure), one.outer_slot, one.inner_slot, library, library, false};
}

bool another_front_leads() noexcept {
  return false;
}

const Backend* open_backend(const Switches& switches, std::string& reason) {
  static const int never = 0;  // nobody finds the library's procedures by name
  static const Front front{kInterfaceVersion,
                           library_function,
                           find_data,
                           imports_unwrapped_completion,
                           &never,
                           &switches,
                           static_cast<int>(served_count()),
                           true};  // whatever the program refers to
  const char* why = nullptr;
  const Backend* const started = gapless_start_backend(&front, &why);
  if (started == nullptr) reason = why;
  return started;
}

}  // namespace gapless::preload

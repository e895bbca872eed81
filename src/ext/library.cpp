#include "ext/library.hpp"

#include <atomic>
#include <cstdio>
#include <iterator>
#include <mutex>

#include "ext/library_search.hpp"
#include "ext/private_comm.hpp"
#include "mpi/abi/at_finalize.hpp"
#include "mpi/abi/library.hpp"
#include "mpi/types/datatype.hpp"

extern "C" {
// mpi_calls.S: where MPI_X leads, in the order of mpi_calls.def.
[[gnu::visibility("hidden")]] extern void* gapless_ext_slots[];
// Before it leads anywhere, and where the library has no such procedure.
[[gnu::visibility("hidden")]] int gapless_ext_missing() {
  return MPI_ERR_OTHER;
}
}

namespace gapless::ext {

namespace {

constexpr const char* kCalled[] = {
#define GAPLESS_CALL(name) "MPI_" #name,
#include "ext/mpi_calls.def"
#undef GAPLESS_CALL
};

enum State { kUnknown, kUp, kEnded };
constinit std::atomic<int> state{kUnknown};

MPI_Comm& the_comm() noexcept {
  static MPI_Comm comm{};
  return comm;
}

// In MPI_Finalize.
int end(MPI_Comm, int, void*, void*) {
  state.store(kEnded, std::memory_order_release);
  end_private_comms();
  mpi::epoch_ending();
  mpi::epoch_ended();
  mpi::library.Comm_free(&the_comm());
  return MPI_SUCCESS;
}

// Not a duplicate of MPI_COMM_SELF, which would call the copy callbacks of the program's attributes.
bool make_comm() {
  return mpi::library.Comm_split(MPI_COMM_SELF, 0, 0, &the_comm()) == MPI_SUCCESS &&
         mpi::library.Comm_set_errhandler(the_comm(), MPI_ERRORS_RETURN) == MPI_SUCCESS;
}

// nullptr, or why MPI calls may not be made.
const char* begin() {
  if (state.load(std::memory_order_relaxed) == kEnded) return "MPI_Finalize has been called";
  if (const char* const why = search_library(); why != nullptr) return why;
  const auto initialized = reinterpret_cast<decltype(&MPI_Initialized)>(find_visible("MPI_Initialized"));
  const auto finalized = reinterpret_cast<decltype(&MPI_Finalized)>(find_visible("MPI_Finalized"));
  int is_initialized = 0, is_finalized = 0;
  if (initialized(&is_initialized) != MPI_SUCCESS || is_initialized == 0) return "MPI_Init has not been called";
  if (finalized(&is_finalized) != MPI_SUCCESS || is_finalized != 0) return "MPI_Finalize has been called";
  if (const char* const missing = mpi::load_library(find_library, find_data); missing != nullptr) return missing;
  for (std::size_t k = 0; k < std::size(kCalled); ++k) {
    if (void* const found = find_visible(kCalled[k]); found != nullptr) gapless_ext_slots[k] = found;
  }
  if (!make_comm() || !mpi::call_at_finalize(end)) return "MPI_COMM_SELF cannot be split, or given an attribute";
  mpi::epoch_began();
  state.store(kUp, std::memory_order_release);
  return nullptr;
}

[[gnu::cold, gnu::noinline]] bool begin_for(const char* function) noexcept {
  static constinit std::mutex beginning;
  const char* why = "there is no memory";
  try {
    const std::lock_guard lock(beginning);
    if (state.load(std::memory_order_acquire) == kUp) return true;
    why = begin();
  } catch (...) {  // no memory, or no lock
  }
  if (why != nullptr) std::fprintf(stderr, "gapless: %s did nothing: %s\n", function, why);
  return why == nullptr;
}

}  // namespace

bool ready(const char* function) noexcept {
  return state.load(std::memory_order_acquire) == kUp || begin_for(function);
}

MPI_Comm own_comm() noexcept {
  return the_comm();
}

}  // namespace gapless::ext

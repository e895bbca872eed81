#include "preload/world/extension.hpp"

#include <cstddef>
#include <cstdio>
#include <iterator>

#include "ext/library.hpp"
#include "preload/policy/own_comm.hpp"
#include "preload/policy/world.hpp"

extern "C" {
// ext/mpi_calls.S: where MPI_X leads, in the order of mpi_calls.def. Weak: with a static library (static.cmake) the
// linker leads these calls to the wrappers. Not hidden here: in a position-independent program gold does not let the
// address of a hidden symbol be null.
[[gnu::weak]] extern void* gapless_ext_slots[];
[[gnu::visibility("hidden")]] int gapless_ext_missing() {
  return MPI_ERR_OTHER;
}
}

namespace gapless {

namespace {

mpi::Find find_in_library = nullptr;

constexpr const char* kCalled[] = {
#define GAPLESS_CALL(name) "PMPI_" #name,
#include "ext/mpi_calls.def"
#undef GAPLESS_CALL
};

// At the first call, for most programs make none.
bool fill_slots() noexcept {
  if (gapless_ext_slots == nullptr) return true;
  for (std::size_t k = 0; k < std::size(kCalled); ++k) {
    if (void* const found = find_in_library(kCalled[k]); found != nullptr) gapless_ext_slots[k] = found;
  }
  return true;
}

}  // namespace

namespace preload {

void connect_extension(mpi::Find find) noexcept {
  find_in_library = find;
}

}  // namespace preload

namespace ext {

bool ready(const char* function) noexcept {
  if (preload::world_is_up()) {
    static const bool are_filled = fill_slots();
    return are_filled;
  }
  std::fprintf(stderr, "gapless: %s did nothing: MPI is not there\n", function);
  return false;
}

// Nothing that the layer wraps, for it asks for a procedure as such: `name` begins with MPI_.
void* find_visible(const char* name) noexcept {
  char own_name[64];
  const int length = std::snprintf(own_name, sizeof own_name, "P%s", name);
  return length < static_cast<int>(sizeof own_name) ? find_in_library(own_name) : nullptr;
}

// Without one the library's errors of a look-up go to the program's handler of MPI_COMM_SELF.
MPI_Comm own_comm() noexcept {
  return preload::own_comm();
}

}  // namespace ext

}  // namespace gapless

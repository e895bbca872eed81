// The backend's only door: the front hands over the library, and gets the wrappers.
#include "base/settings.hpp"
#include "preload/counters.hpp"
#include "preload/front_to_backend.hpp"
#include "preload/transfer.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

const int* front_switch = nullptr;

const Backend backend{
    {
#define GAPLESS_PROCEDURE(name) reinterpret_cast<void*>(&wrap_##name),
#include "preload/procedures.def"
#undef GAPLESS_PROCEDURE
    },
    read_counters,
};

}  // namespace

bool switched_on() noexcept {
  return __atomic_load_n(front_switch, __ATOMIC_RELAXED) != 0;
}

}  // namespace gapless::preload

extern "C" [[gnu::visibility("default")]] const gapless::preload::Backend* gapless_start_backend(
    const gapless::preload::Front* front, const char** reason) {
  using namespace gapless;
  if (front->version != preload::kInterfaceVersion) {
    *reason = "front and backend are not of the same build";
    return nullptr;
  }
  if (const char* const missing = mpi::load_library(front->find); missing != nullptr) {
    *reason = missing;
    return nullptr;
  }
  preload::front_switch = front->on;
  preload::counting_on = base::setting_on("GAPLESS_STATS");
  preload::rule.force = base::setting_on("GAPLESS_FORCE");
  return &preload::backend;
}

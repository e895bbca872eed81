// The backend's only door: the front hands over the library, and gets the wrappers.
#include "base/settings.hpp"
#include "preload/front_to_backend.hpp"
#include "preload/policy/agreement.hpp"
#include "preload/policy/switches.hpp"
#include "preload/stats/counters.hpp"
#include "preload/stats/log.hpp"
#include "preload/watch/watch.hpp"
#include "preload/world/extension.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

const Front* the_front = nullptr;

int state(int Switches::* one) noexcept {
  return __atomic_load_n(&(the_front->switches->*one), __ATOMIC_RELAXED);
}

Backend backend{
    {
#define GAPLESS_PLAIN(name, arguments) reinterpret_cast<void*>(&wrap_##name),
#define GAPLESS_SERVICE(name, arguments) reinterpret_cast<void*>(&wrap_##name),
#define GAPLESS_COUNTED(name, arguments) \
  reinterpret_cast<void*>(&wrap_##name), reinterpret_cast<void*>(&wrap_##name##_c),
#include "mpi/abi/procedures.def"
#undef GAPLESS_PLAIN
#undef GAPLESS_SERVICE
#undef GAPLESS_COUNTED
    },
    read_counters,
};

}  // namespace

bool switched_on() noexcept {
  return state(&Switches::on) != 0;
}

int switched_way() noexcept {
  return state(&Switches::way);
}

bool switched_past() noexcept {
  return state(&Switches::on) == 2;
}

bool collectives_switched_on() noexcept {
  return state(&Switches::collectives) != 0;
}

bool own_alltoall_switched_on() noexcept {
  return state(&Switches::collectives) == 1;
}

bool pairing_switched_on() noexcept {
  return state(&Switches::paired) != 0;
}

bool completion_looked_up() noexcept {
  return __atomic_load_n(the_front->completion_looked_up, __ATOMIC_RELAXED) != 0;
}

int served_procedures() noexcept {
  return the_front->served_count;
}

bool serves_large_counts() noexcept {
  return the_front->serves_large_counts;
}

}  // namespace gapless::preload

extern "C" [[gnu::visibility("default")]] const gapless::preload::Backend* gapless_start_backend(
    const gapless::preload::Front* front, const char** reason) {
  using namespace gapless;
  if (front->version != preload::kInterfaceVersion) {
    *reason = "front and backend are not of the same build";
    return nullptr;
  }
  if (const char* const missing = mpi::load_library(front->find, front->find_data); missing != nullptr) {
    *reason = missing;
    return nullptr;
  }
  preload::connect_extension(front->find);
  preload::the_front = front;
  preload::counting_on = base::setting_on("GAPLESS_STATS");
  preload::tallying_on = preload::counting_on || base::setting_text("GAPLESS_RUN_DIR") != nullptr;
  if (preload::tallying_on) preload::keep_counters();
  preload::policy = preload::policy_for_this_library();
  preload::open_log();
  preload::require_slow_path(preload::counting_on || preload::logging() || preload::policy.force);
  preload::receives_stay_native = front->imports_unwrapped_completion();
  const preload::Watching watching = preload::watching_asked_for();
  preload::native_only = watching == preload::Watching::kNative;
  if (watching != preload::Watching::kNot && !preload::watch(preload::backend, watching) && preload::native_only) {
    *reason = "its book could not be made: it needs 1.3 MB in the folder of temporary files (TMPDIR)";
    return nullptr;
  }
  return &preload::backend;
}

// The processor's own counter of time: for what is timed at every call, at a third of what clock.hpp costs.
#pragma once

#include <cstdint>

#include "base/clock.hpp"

namespace gapless::base {

// False where the counter is not known to go on at one pace, whatever the processor does: then ticks are nanoseconds.
extern const bool has_steady_counter;

// Of a clock that only goes forward, in a unit of its own: who wants nanoseconds compares two of them with now_ns().
inline std::int64_t ticks() noexcept {
#if defined(__x86_64__)
  if (has_steady_counter) [[likely]]
    return static_cast<std::int64_t>(__builtin_ia32_rdtsc());
#elif defined(__aarch64__)
  std::int64_t now;
  asm volatile("mrs %0, cntvct_el0" : "=r"(now));
  return now;
#endif
  return now_ns();
}

}  // namespace gapless::base

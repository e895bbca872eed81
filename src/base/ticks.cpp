#include "base/ticks.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace gapless::base {

namespace {

bool find_out() noexcept {
#if defined(__x86_64__)
  // "Invariant TSC": leaf 0x80000007, bit 8 of edx.
  unsigned a, b, c, d;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d >> 8 & 1) != 0;
#elif defined(__aarch64__)
  return true;
#else
  return false;
#endif
}

}  // namespace

const bool has_steady_counter = find_out();

}  // namespace gapless::base

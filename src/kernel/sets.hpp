// The sets of this build, for the dispatch table.
#pragma once

#include "kernel/kernel.hpp"

namespace gapless::kernel {

namespace baseline {
extern const Set kSet;
}
#if defined(__x86_64__)
namespace avx2 {
extern const Set kSet;
PassFor pass_for;
}  // namespace avx2
namespace avx512 {
extern const Set kSet;
}
#elif defined(__aarch64__)
namespace neon {
extern const Set kSet;
}
#endif

}  // namespace gapless::kernel

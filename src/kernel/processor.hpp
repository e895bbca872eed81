// What this processor and its operating system offer to kernels.
#pragma once

#if defined(__x86_64__)

namespace gapless::kernel {

struct Processor {
  bool avx2 = false;
  bool avx512 = false;          // its parts F, BW, DQ and VL
  bool copies_strings = false;  // `rep movsb` is faster than vectors
};

// Asks the processor itself: what compilers call __builtin_cpu_supports says no of everything where Zig links.
Processor processor() noexcept;

}  // namespace gapless::kernel

#endif

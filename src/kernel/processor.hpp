// What this processor and its operating system offer to kernels.
#pragma once

#include <string_view>

namespace gapless::kernel {

// What the processor says of who made it, as /proc/cpuinfo does: "GenuineIntel", "AuthenticAMD"; empty off x86-64.
class ProcessorVendor {
 public:
  ProcessorVendor() noexcept;
  std::string_view name() const noexcept { return {name_, name_[0] == '\0' ? 0 : sizeof name_}; }

 private:
  char name_[12] = {};
};

#if defined(__x86_64__)

struct Processor {
  bool avx2 = false;
  bool avx512 = false;          // its parts F, BW, DQ and VL
  bool copies_strings = false;  // `rep movsb` is faster than vectors
};

// Asks the processor itself: what compilers call __builtin_cpu_supports says no of everything where Zig links.
Processor processor() noexcept;

#endif

}  // namespace gapless::kernel

// The instruction sets by name: "baseline", "avx2", "avx512"; "baseline", "neon".
#pragma once

#include <span>

namespace gapless::kernel {

// The sets of this build that this machine runs, the best one last.
std::span<const char* const> isa_names() noexcept;
// The set in force: the best one, or the one that GAPLESS_ISA names if the machine runs it.
const char* isa_name() noexcept;

}  // namespace gapless::kernel

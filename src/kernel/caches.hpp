// The size that decides whether a transfer is too large for the caches. Asked of the system once, at the first call.
#pragma once

#include <cstdint>

namespace gapless::kernel {

// A transfer that touches more is far: the last cache [bytes], or what GAPLESS_NT_BYTES says.
std::int64_t far_bytes() noexcept;
}  // namespace gapless::kernel

// The size above which a transfer is too large for the caches. Read from the system once, at the first call.
#pragma once

#include <cstdint>

namespace gapless::kernel {

// A transfer that touches more is far: the size of the last-level cache [bytes], or GAPLESS_NT_BYTES.
std::int64_t far_bytes() noexcept;
}  // namespace gapless::kernel

// The sizes that decide whether a transfer is too large for the caches. Asked of the system once, at the first call.
#pragma once

#include <cstdint>

namespace gapless::kernel {

// A transfer that touches more is far: the last cache [bytes], or what GAPLESS_NT_BYTES says.
std::int64_t far_bytes() noexcept;
// Listed blocks that are spread over more are fetched ahead: the second-level cache [bytes].
std::int64_t spread_bytes() noexcept;

}  // namespace gapless::kernel

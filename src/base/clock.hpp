// The clock by which everything is timed.
#pragma once

#include <cstdint>

namespace gapless::base {

// [ns] of a clock that only goes forward. Not inline: a test may bring its own.
std::int64_t now_ns() noexcept;

}  // namespace gapless::base

// Whether blocks with gaps are packed by us, or left to the library with their datatype.
#pragma once

#include <cstdint>

namespace gapless::ext {

// True if our plans, and a message of bytes, are faster for so many bytes with gaps than a message of the datatype.
bool are_gaps_packed(std::int64_t bytes) noexcept;

}  // namespace gapless::ext

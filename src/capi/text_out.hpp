// How every function returns a text.
#pragma once

#include <cstddef>
#include <string_view>

namespace gapless::capi {

// Copies what fits of `text`, always ended by a NUL if there is room for one; *needed: bytes for all of it, NUL
// included. Throws base::Error if a place is NULL (the buffer may be, with a capacity of 0).
void text_out(std::string_view text, char* buffer, std::size_t capacity, std::size_t* needed);

}  // namespace gapless::capi

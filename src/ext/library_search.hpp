// Finding the MPI library that the program has brought.
#pragma once

namespace gapless::ext {

// Looks for it. nullptr, or why it cannot be used: there is none, or it has another ABI.
const char* search_library() noexcept;

// After a search that found one. A function behind the layer: what the layer itself would call.
void* find_library(const char* name) noexcept;
// A function (also in library.hpp), or a variable, as the program sees it.
void* find_visible(const char* name) noexcept;
void* find_data(const char* name) noexcept;

}  // namespace gapless::ext

// Finding the program's MPI library without being linked with one.
#pragma once

namespace gapless::preload {

enum class Abi { kMpich, kOpenMpi, kStandard };
const char* abi_name(Abi abi) noexcept;

// Looks for the library once; `caller` is an address inside of the code that called MPI. Whether it was found.
bool search_library(void* caller) noexcept;
// The next definition of a symbol behind this object: a tool's, or the library's, never another front's. nullptr if
// there is none.
void* next_symbol(const char* name) noexcept;
// A variable of the library as the program sees it.
void* visible_data(const char* name) noexcept;
// Whether two addresses lie in the same loaded object.
bool same_object(void* a, void* b) noexcept;
Abi detect_abi() noexcept;

}  // namespace gapless::preload

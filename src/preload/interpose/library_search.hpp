// Finding the program's MPI library without being linked with one.
#pragma once

#include <string>

namespace gapless::preload {

// Looks for the library once; `caller` is an address inside of the code that called MPI. Returns true if it was found.
bool search_library(void* caller) noexcept;
// The next definition of a symbol behind this object: a tool's, or the library's, never another front's. nullptr if
// there is none.
void* next_symbol(const char* name) noexcept;
// A variable of the library as the program sees it.
void* visible_data(const char* name) noexcept;
// True if two addresses lie in the same loaded object.
bool same_object(void* a, void* b) noexcept;

// The dlsym behind this object.
void* next_dlsym() noexcept;
// True if dlsym(RTLD_NEXT, name), called at `caller`, leads to the library's own definition: the caller stands between
// this object and the library in the loader's order, and no other definition does behind it.
bool library_is_next(const char* name, void* caller) noexcept;
// True if dlsym(handle, name) does. Where no library is known yet, the first one that is asked so is the program's.
bool library_answers(void* handle, const char* name) noexcept;
// True if an address lies in the library.
bool library_has(void* address) noexcept;
// The file of the first MPI library that is in the process, or an empty text.
std::string library_file();

}  // namespace gapless::preload

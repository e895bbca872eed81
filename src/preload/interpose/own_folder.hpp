// Where this object lies, and its companions beside it.
#pragma once

#include <string>

namespace gapless::preload {

// With a slash at the end; empty if it cannot be told. May throw std::bad_alloc.
std::string own_folder();

}  // namespace gapless::preload

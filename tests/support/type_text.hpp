// A layout in the text notation: the constructor's name and its arguments in MPI's order, lists in brackets, the old
// type last, e.g. "indexed([1, 2], [0, 4], int32)".
#pragma once

#include <string>

#include "layout/layout.hpp"

namespace gapless::test {

std::string type_text(const layout::Layout& type);

}  // namespace gapless::test

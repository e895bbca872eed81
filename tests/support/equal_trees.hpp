// Whether two layouts are the same description: the same constructors with the same arguments.
#pragma once

#include "layout/layout.hpp"

namespace gapless::test {

// Parameters and derived bounds, all the way down.
bool equal_trees(const layout::Layout& a, const layout::Layout& b);

}  // namespace gapless::test

// The same constructor over another type.
#pragma once

#include "layout/layout.hpp"

namespace gapless::ext {

// `type`, not a named one, with `child` instead of each of its children.
layout::LayoutPtr with_child(const layout::Layout& type, const layout::LayoutPtr& child);

}  // namespace gapless::ext

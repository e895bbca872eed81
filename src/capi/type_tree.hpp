// The tree of a type as JSON, for `explain`.
#pragma once

#include "capi/json.hpp"
#include "layout/layout.hpp"

namespace gapless::capi {

// {"combiner", "name" (of a named type), "arguments": {...}, "omitted": {list: how many entries are left out},
// "size", "lb", "extent", "children": [...]}. Long lists and large trees are cut: a node that is left out has only its
// combiner and "cut": true. Cost: bounded, whatever the type.
Json type_tree(const layout::Layout& type);

}  // namespace gapless::capi

// The same type map, described in fewer constructors.
#pragma once

#include "layout/layout.hpp"

namespace gapless::ext {

// A layout with the type map of `type`, basic types included, and its bounds, built of contiguous, vector, hvector,
// indexed_block, hindexed_block, indexed, hindexed, struct and resized alone. Data of one basic type have the
// constructors of their normal form. Others are copies of structs: what stands around a struct has the constructors of
// its normal form, and so has each stretch of members of one basic type. `is_leaf`: what stays as it is.
layout::LayoutPtr simplify(const layout::LayoutPtr& type, bool (*is_leaf)(const layout::Layout& type));

// The constructors of a description, those that it shares counted once.
std::int64_t constructor_count(const layout::Layout& type, bool (*is_leaf)(const layout::Layout& type));

}  // namespace gapless::ext

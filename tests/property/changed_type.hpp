// A type with one number of its description changed a little.
#pragma once

#include "layout/layout.hpp"
#include "support/random_number.hpp"

namespace gapless::test {

// Often another sequence of runs, not always: a stride that nothing uses means nothing. Null: the change is not legal,
// or there is none to make.
layout::LayoutPtr changed_type(Random& random, const layout::LayoutPtr& type);

}  // namespace gapless::test

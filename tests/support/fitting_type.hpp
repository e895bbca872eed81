// Random layouts of a given number of bytes: what may stand on the other side of a copy.
#pragma once

#include <cstdint>

#include "layout/layout.hpp"
#include "support/random_number.hpp"

namespace gapless::test {

// `bytes` > 0 of basic type "byte": nests, matrices by columns, lists, runs of unlike lengths, and structs of these,
// placed forwards, backwards or shuffled, with and without gaps, now and then over one another. `levels`: of nesting
// that are left.
layout::LayoutPtr fitting_type(Random& random, std::int64_t bytes, int levels = 4);

}  // namespace gapless::test

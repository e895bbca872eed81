// Random messages whose gaps hold whole pages: what a halo, a column or a list of far places looks like to a kernel,
// with blocks of 1 to 5000 bytes.
#pragma once

#include <cstdint>

#include "layout/layout.hpp"
#include "support/random_number.hpp"

namespace gapless::test {

struct PageShape {
  const char* name;
  layout::LayoutPtr type;
  std::int64_t count;
};

inline constexpr int kPageShapes = 7;

// Between any two neighbouring blocks (rows, in nests) in memory lie at least 8 KB.
PageShape page_shape(Random& random, int kind);

}  // namespace gapless::test

// Short names for what unit tests write over and over.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "layout/layout.hpp"

namespace gapless::test {

using Numbers = std::vector<std::int64_t>;
using layout::LayoutPtr;

inline LayoutPtr type(const char* name) {
  return layout::named(*layout::find_named(name));
}

inline LayoutPtr structure(const Numbers& lengths, const Numbers& displacements, const std::vector<LayoutPtr>& types) {
  return layout::structure(lengths, displacements, types);
}

}  // namespace gapless::test

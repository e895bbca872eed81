// Random REGULAR types from a seed: nests whose run sequences are loops in loops, periodic lists and few unlike
// members. What redescribe() respells, and what a normal form must find again.
#pragma once

#include <cstdint>

#include "layout/layout.hpp"
#include "support/random_number.hpp"

namespace gapless::test {

inline constexpr std::int64_t kMaxRegularEntries = 20'000;  // of the type map, so that the oracle can write it out

// The same seed gives the same type on every machine. Between 1 and 5 levels of constructors, modifiers (resized)
// not counted.
layout::LayoutPtr regular_type(std::uint64_t seed);

}  // namespace gapless::test

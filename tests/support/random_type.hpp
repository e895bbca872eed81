// Random nested datatypes from a seed: every constructor, regular and irregular, with everything that MPI allows and
// nobody tests by hand: zero counts and block lengths, negative strides, overlapping blocks, odd bounds.
#pragma once

#include <cstdint>

#include "layout/layout.hpp"
#include "support/random_number.hpp"

namespace gapless::test {

// The same seed gives the same type on every machine.
layout::LayoutPtr random_type(std::uint64_t seed);

// The pieces, from which random_type() is made.

inline constexpr std::int64_t kMaxTypeBytes = 20'000;   // of data in one element
inline constexpr std::int64_t kMaxTypeEntries = 2'500;  // of the type map
inline constexpr std::int64_t kMaxTypeReach = 100'000;  // [bytes] of any bound or displacement from 0

// Whether a type is small enough to be expanded literally, a few times over.
bool fits(const layout::Layout& type);
// Constructors on the longest path as a user wrote them: unlike Layout::depth without those of expansions.
int depth_of(const layout::Layout& type);
// Upper bound of the number of entries of the type map.
std::int64_t entry_count(const layout::Layout& type);

// One constructor with random arguments around `old`, with about `repetitions` copies at most. `sibling(random)` makes
// the further members of a struct.
using Sibling = layout::LayoutPtr (*)(Random& random);
layout::LayoutPtr wrap(Random& random, layout::Combiner combiner, layout::LayoutPtr old, std::int64_t repetitions,
                       Sibling sibling);

}  // namespace gapless::test

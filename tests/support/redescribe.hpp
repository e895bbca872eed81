// Random re-descriptions of a type: another tree of constructors with the same sequence of runs and the same bounds.
// Equal messages must get equal normal forms; this is the adversary that says how often they do.
#pragma once

#include <span>

#include "layout/layout.hpp"
#include "support/random_number.hpp"

namespace gapless::test {

enum class Redescription {
  kSplit,    // a repetition or list cut at a random place, also inside an inner row, and joined by a struct or list
  kIndexed,  // a repetition, subarray or list spelt as another kind of list, its blocks cut at random
  kNoise,    // dup, resized back and forth, empty blocks, struct of one, contiguous(1, ..)
  kReassociated,  // counts factored or multiplied, block lengths moved, vector, hvector, subarray for one another
  kRotated,       // the boundary between repetitions moved: (AB)^n as A (BA)^(n-1) B
  kMixed,         // one to four of these at random places of the tree
};
inline constexpr int kRedescriptionCount = 6;
const char* redescription_name(Redescription kind) noexcept;

// Null if this kind applies nowhere in the tree.
layout::LayoutPtr redescribe(Random& random, Redescription kind, const layout::LayoutPtr& type);

}  // namespace gapless::test

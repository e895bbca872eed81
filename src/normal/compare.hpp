// Whether two messages are the same sequence of runs, whatever their forms.
#pragma once

#include <cstdint>

#include "normal/form.hpp"

namespace gapless::normal {

// `count` elements of a form, one extent [bytes] apart.
struct Elements {
  const Form& form;
  std::int64_t count = 1;
  std::int64_t extent = 0;
};

// Exact: byte i of the one is byte i of the other, for all i. Lazy: equal nodes are skipped, and where both are in the
// middle of loops, of periods p and q bytes, p + q equal bytes stand for as many as both loops have left (proof in
// compare.cpp). Cost: where loops meet loops, about the runs of one body of each, times their depth; where an irregular
// list meets anything but itself, its length. Throws base::Error(kOverflow) for messages beyond 63 bits.
bool same_sequence(const Elements& a, const Elements& b);

}  // namespace gapless::normal

// Compares two messages as sequences of runs, whatever their forms.
#pragma once

#include <cstdint>

#include "normal/form.hpp"

namespace gapless::normal {

// `count` elements of a form, one extent [bytes] apart.
struct RepeatedForm {
  const Form& form;
  std::int64_t count = 1;
  std::int64_t extent = 0;
};

// True if byte i of one is byte i of the other, for all i. Exact. Lazy: equal nodes are skipped, and where both are
// inside loops, of periods p and q bytes, p + q equal bytes prove all that both loops have left (proof in compare.cpp).
// Cost: where a loop meets a loop, about the runs of one body of each, times their depth; where an irregular list meets
// anything but itself, its length. Throws base::Error(kOverflow) for messages beyond 63 bits.
bool same_sequence(const RepeatedForm& a, const RepeatedForm& b);

}  // namespace gapless::normal

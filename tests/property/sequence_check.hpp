// normal::same_sequence of one type's messages and others like them, against the oracle.
#pragma once

#include <cstdint>

#include "layout/layout.hpp"
#include "support/random_number.hpp"

namespace gapless::test {

// `count` elements against contiguous(count, type), against a re-description, and against types that were changed a
// little: equal exactly when the oracle's are. Throws Wrong at the first deviation.
void check_sequence(const layout::LayoutPtr& type, std::int64_t count, Random& random);

}  // namespace gapless::test

// The list of runs of a message against the oracle.
#pragma once

#include <cstdint>

#include "plan/plan.hpp"
#include "support/oracle.hpp"
#include "support/random_number.hpp"

namespace gapless::test {

// Whole, from many positions (all, of a message up to 64 bytes), with random limits, and continued to the end. Throws
// Wrong at the first deviation.
void check_iov(const plan::Plan& plan, const Oracle& oracle, std::int64_t count, Random& random);

}  // namespace gapless::test

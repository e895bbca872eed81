// What steps take, roughly: moves of a vector or less, which are about a cycle each. For choosing between ways of the
// same work; no promise of time.
#pragma once

#include <cstdint>

#include "plan/joint.hpp"
#include "plan/step.hpp"

namespace gapless::plan {

double pack_cost(const Step& step);
double unpack_cost(const Step& step);
double cost(const Joint& step);

}  // namespace gapless::plan

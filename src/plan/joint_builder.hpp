// Walks two messages at once, segment by segment, and joins what they have in common into the steps of a joint plan.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/joint.hpp"
#include "plan/segments.hpp"

namespace gapless::plan {

// Appends the steps that copy `source` to `destination`, `bytes` of data each. Returns false if the search exceeds its
// limit, or if a walk in strips takes less time; `steps` is of no use then.
bool build_joint(Segments source, Segments destination, std::int64_t bytes, std::vector<Joint>& steps);

}  // namespace gapless::plan

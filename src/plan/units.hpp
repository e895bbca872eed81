// Lists of runs of unlike lengths as lists of equal blocks: each short run of unlike length costs a mispredicted
// branch; the blocks that it consists of do not.
#pragma once

#include <cstdint>

#include "base/numbers.hpp"
#include "normal/form.hpp"

namespace gapless::plan {

// The length [bytes] that divides those of all runs; 0 if cutting them is not worth it because the blocks would be too
// many or too short. Cost: linear in the list.
std::int64_t unit_of(const normal::Node& blocks);

// The offsets of all units, stored in 4 or 8 bytes each.
base::Numbers unit_offsets(const normal::Node& blocks, std::int64_t unit);

}  // namespace gapless::plan

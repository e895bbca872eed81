// Lists of runs of unlike lengths as lists of equal blocks: short runs of unlike lengths cost a processor a wrong guess
// each; the blocks that they are made of do not.
#pragma once

#include <cstdint>

#include "base/numbers.hpp"
#include "normal/form.hpp"

namespace gapless::plan {

// The length [bytes] that divides those of all runs; 0 where to cut them so is not worth it, because there would be too
// many blocks or too short ones. Cost: linear in the list.
std::int64_t unit_of(const normal::Node& blocks);

// The places of all units, 4 or 8 bytes each.
base::Numbers places_of(const normal::Node& blocks, std::int64_t unit);

}  // namespace gapless::plan

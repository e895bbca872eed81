// Long lists of blocks, as arrays of numbers: items would cost ten times as much, and most lists end in a table.
#pragma once

#include <cstdint>
#include <vector>

#include "base/numbers.hpp"
#include "normal/rules.hpp"

namespace gapless::normal {

// Runs of `bytes` each, or of lengths[i], at `offsets`; none adjoins the next. All [bytes].
struct RunList {
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> lengths;  // empty: all are `bytes` long
  std::int64_t bytes = 0;
  base::Numbers shared;  // the offsets as somebody already keeps them, or empty
};

// The list as items: a loop for each regular stretch that is worth one, tables and blocks for the rest.
Items stretches(const RunList& list, Context& context);
// The same for copies of a word at `offsets`.
Items stretches(const std::vector<std::int64_t>& offsets, const Items& body, Context& context);

}  // namespace gapless::normal

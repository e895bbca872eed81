// Long lists of blocks, looked at as arrays of numbers: items would cost ten times as much, and most lists end in a
// table, which keeps the constructor's own list.
#pragma once

#include <cstdint>
#include <vector>

#include "layout/layout.hpp"
#include "normal/rules.hpp"

namespace gapless::normal {

// A list of blocks that are one run each: copies of the run `old`, of which the next begins where one ends.
// `unit`: [bytes] of a displacement of 1; `blocklength`: of all blocks, or -1 where they differ.
// The items: a loop for each regular stretch that is worth one, tables and blocks for the rest. Not reduced.
Items run_list(const layout::Layout& type, std::int64_t unit, const Item& old, std::int64_t blocklength,
               Context& context);

// The same for copies of a word, whose first run is at 0, at `offsets` [bytes].
Items word_list(const std::vector<std::int64_t>& offsets, const Items& body, Context& context);

}  // namespace gapless::normal

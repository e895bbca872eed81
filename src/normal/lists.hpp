// Long lists of blocks, processed as arrays of numbers: items would cost ten times as much, and most lists become a
// table, which shares the constructor's own list.
#pragma once

#include <cstdint>
#include <vector>

#include "layout/layout.hpp"
#include "normal/rules.hpp"

namespace gapless::normal {

// A list of blocks that are one run each: adjacent copies of the run `old`.
// `unit`: [bytes] of a displacement of 1; `blocklength`: of all blocks, or -1 if they differ.
// Returns a loop for each regular stretch that is worth one, and tables and blocks for the rest. Not reduced.
Items run_list(const layout::Layout& type, std::int64_t unit, const Item& old, std::int64_t blocklength,
               Context& context);

// The same for copies of a word, whose first run is at 0, at `offsets` [bytes].
Items word_list(const std::vector<std::int64_t>& offsets, const Items& body, Context& context);

}  // namespace gapless::normal

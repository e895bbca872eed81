// Makes nodes from parts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "normal/form.hpp"
#include "normal/normalise.hpp"
#include "normal/word.hpp"

namespace gapless::normal {

// The sequence of the parts, unchanged.
Part sequence(std::vector<Part> parts, Alphabet& alphabet);
// The sequence of the parts, after the rules on parts.
Part one_part(std::vector<Part> parts, Alphabet& alphabet, Trace* trace);
// A copy of `body` at each of `offsets`: a loop if they are a progression or two equal halves; otherwise a table.
Part copies_at(std::span<const std::int64_t> offsets, const NodePtr& body, Alphabet& alphabet);
// The same for runs of unlike lengths [bytes].
Part blocks_at(std::span<const std::int64_t> offsets, std::span<const std::int64_t> lengths, Alphabet& alphabet);

// The same, as a view of lists that exist already, shifted by a constant. No node if the list is a progression or has
// two equal halves.
Part table_of(const base::Numbers& offsets, const NodePtr& body, const ListFacts& facts, Alphabet& alphabet);
Part blocks_of(const base::Numbers& offsets, const base::Numbers& lengths, const ListFacts& facts, Alphabet& alphabet);

// Offsets as a table stores them: relative to the first, wide enough for kernels.
base::Numbers table_offsets(std::span<const std::int64_t> offsets);

}  // namespace gapless::normal

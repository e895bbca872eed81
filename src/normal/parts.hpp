// Making nodes out of parts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "normal/form.hpp"
#include "normal/normalise.hpp"
#include "normal/word.hpp"

namespace gapless::normal {

// Parts one after the other, as they are.
Part sequence(std::vector<Part> parts, Alphabet& alphabet);
// Parts one after the other, by the rules on parts.
Part one_part(std::vector<Part> parts, Alphabet& alphabet, Trace* trace);
// A copy of `body` at each of `offsets`: a loop where they are a progression, or two equal halves; else a table.
Part copies_at(std::span<const std::int64_t> offsets, const NodePtr& body, Alphabet& alphabet);
// The same for runs of unlike lengths [bytes].
Part blocks_at(std::span<const std::int64_t> offsets, std::span<const std::int64_t> lengths, Alphabet& alphabet);

// The same, made of lists that somebody keeps already, plus or minus a constant: no node where the list is a
// progression or has two equal halves.
Part table_of(const base::Numbers& offsets, const NodePtr& body, const ListFacts& facts, Alphabet& alphabet);
Part blocks_of(const base::Numbers& offsets, const base::Numbers& lengths, const ListFacts& facts, Alphabet& alphabet);

// Offsets as a table keeps them: relative to the first, wide enough for kernels.
base::Numbers table_offsets(std::span<const std::int64_t> offsets);

}  // namespace gapless::normal

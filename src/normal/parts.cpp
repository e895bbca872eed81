#include "normal/parts.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace gapless::normal {
namespace {

template <class Offsets>
bool is_progression(const Offsets& offsets) {
  for (std::size_t i = 2; i < offsets.size(); ++i)
    if (offsets[i] - offsets[i - 1] != offsets[1] - offsets[0]) return false;
  return true;
}

// True if the second half is the first one, shifted.
template <class Offsets>
bool has_equal_halves(const Offsets& offsets) {
  const std::size_t half = offsets.size() / 2;
  if (offsets.size() % 2 != 0) return false;
  for (std::size_t i = 1; i < half; ++i)
    if (offsets[half + i] - offsets[i] != offsets[half] - offsets[0]) return false;
  return true;
}

// True if a list can be stored as a view of itself relative to its first number: the negative of that number, with and
// without the list's shift, must be representable.
bool has_relative_view(const base::Numbers& offsets) {
  constexpr std::int64_t kNoOpposite = std::numeric_limits<std::int64_t>::min();
  return offsets.front() != kNoOpposite && offsets.front() - offsets.shift() != kNoOpposite;
}

}  // namespace

base::Numbers table_offsets(std::span<const std::int64_t> offsets) {
  std::vector<std::int64_t> relative(offsets.begin(), offsets.end());
  for (std::int64_t& offset : relative) offset -= offsets[0];
  return base::Numbers(relative, 4);
}

Part copies_at(std::span<const std::int64_t> offsets, const NodePtr& body, Alphabet& alphabet) {
  if (offsets.size() == 1) return {offsets[0], body};
  if (is_progression(offsets)) {
    const auto count = static_cast<std::int64_t>(offsets.size());
    return {offsets[0], alphabet.unique(make_loop(count, offsets[1] - offsets[0], body))};
  }
  if (has_equal_halves(offsets)) {
    const std::size_t half = offsets.size() / 2;
    const Part first = copies_at(offsets.first(half), body, alphabet);
    return {first.offset, alphabet.unique(make_loop(2, offsets[half] - offsets[0], first.node))};
  }
  return {offsets[0], alphabet.unique(make_table(table_offsets(offsets), body))};
}

Part table_of(const base::Numbers& offsets, const NodePtr& body, const ListFacts& facts, Alphabet& alphabet) {
  if (!has_relative_view(offsets) || is_progression(offsets) || has_equal_halves(offsets)) return {0, nullptr};
  Node table;
  table.kind = Kind::kTable;
  table.body = body;
  table.offsets = offsets.scaled(1, -offsets.front());
  return {offsets.front(), alphabet.unique(finish(std::move(table), &facts))};
}

Part blocks_of(const base::Numbers& offsets, const base::Numbers& lengths, const ListFacts& facts, Alphabet& alphabet) {
  if (!has_relative_view(offsets) || has_equal_halves(offsets)) return {0, nullptr};
  Node blocks;
  blocks.kind = Kind::kBlocks;
  blocks.offsets = offsets.scaled(1, -offsets.front());
  blocks.lengths = lengths;
  return {offsets.front(), alphabet.unique(finish(std::move(blocks), &facts))};
}

Part blocks_at(std::span<const std::int64_t> offsets, std::span<const std::int64_t> lengths, Alphabet& alphabet) {
  const std::size_t half = lengths.size() / 2;
  if (has_equal_halves(offsets) && std::equal(lengths.begin(), lengths.begin() + static_cast<std::ptrdiff_t>(half),
                                              lengths.begin() + static_cast<std::ptrdiff_t>(half))) {
    const Part first = blocks_at(offsets.first(half), lengths.first(half), alphabet);
    return {first.offset, alphabet.unique(make_loop(2, offsets[half] - offsets[0], first.node))};
  }
  Node blocks;
  blocks.kind = Kind::kBlocks;
  blocks.offsets = table_offsets(offsets);
  blocks.lengths = base::Numbers(lengths);
  return {offsets[0], alphabet.unique(finish(std::move(blocks)))};
}

}  // namespace gapless::normal

// sequence(.., a, b, a, b, ..), the second a and b moved by s -> sequence(.., loop(2, s, sequence(a, b)), ..).
// Proof: copy 0 of the loop is the first pair, copy 1 the second.
// Only once everything that occurs three times is a loop. Short pairs before long ones, from left to right.
#include <algorithm>

#include "normal/parts.hpp"
#include "normal/rules.hpp"

namespace gapless::normal::rules {
namespace {

constexpr std::size_t kMaxPairInLongList = 32;  // keeps the search linear where a list is long

bool two_of(std::vector<Part>& parts, std::size_t p, Alphabet& alphabet) {
  std::vector<Part> out;
  bool changed = false;
  const auto equal_at = [&](std::size_t i) {
    if (i + 2 * p > parts.size()) return false;
    for (std::size_t j = i; j < i + p; ++j)
      if (parts[j].node != parts[j + p].node ||
          parts[j + p].offset - parts[j].offset != parts[i + p].offset - parts[i].offset)
        return false;
    return true;
  };
  for (std::size_t i = 0; i < parts.size();) {
    if (!equal_at(i)) {
      out.push_back(parts[i++]);
      continue;
    }
    const auto from = parts.begin() + static_cast<std::ptrdiff_t>(i);
    const std::int64_t distance = parts[i + p].offset - parts[i].offset;
    const Part body = one_part({from, from + static_cast<std::ptrdiff_t>(p)}, alphabet, nullptr);
    out.push_back({body.offset, alphabet.unique(make_loop(2, distance, body.node))});
    i += 2 * p;
    changed = true;
  }
  if (changed) parts = std::move(out);
  return changed;
}

}  // namespace

std::size_t longest_pair(std::size_t parts) noexcept {
  return parts > 2 * kMaxItems ? std::min(kMaxPairInLongList, parts / 2) : parts / 2;
}

bool two_copies(std::vector<Part>& parts, Alphabet& alphabet) {
  const std::size_t longest = longest_pair(parts.size());
  for (std::size_t p = 2; p <= longest; ++p)
    if (two_of(parts, p, alphabet)) return true;
  return false;
}

}  // namespace gapless::normal::rules

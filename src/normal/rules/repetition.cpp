// w at d, w at d + s, w at d + 2 s, .. -> loop(n, s, w) at d, for a word w of one or more items and n of at least 3.
// Proof: copy i of the loop is at d + i s, where the i-th copy of w was, and in that order.
// Short words before long ones, from left to right, each repetition as long as possible.
#include <algorithm>

#include "normal/rules.hpp"

namespace gapless::normal::rules {
namespace {

// A list longer than one body written out a few times comes from a description that is equally long; then only short
// words are searched, so that the cost stays linear.
constexpr std::size_t kShortList = 6 * kMaxItems, kMaxWordInLongList = 32;

// The number of consecutive items, starting at i, that equal the item p further on, all at the same distance.
std::size_t agreeing(const Items& items, std::size_t i, std::size_t p) {
  const std::int64_t distance = items[i + p].offset - items[i].offset;
  std::size_t j = i;
  while (j + p < items.size() && items[j].same_as(items[j + p]) && items[j + p].offset - items[j].offset == distance)
    ++j;
  return j - i;
}

bool repetitions(Items& items, std::size_t p, Alphabet& alphabet) {
  Items out;
  bool changed = false;
  for (std::size_t i = 0; i < items.size();) {
    const std::size_t agree = i + p < items.size() ? agreeing(items, i, p) : 0;
    if (agree < 2 * p) {
      out.push_back(items[i++]);
      continue;
    }
    const std::size_t copies = agree / p + 1;
    const auto from = items.begin() + static_cast<std::ptrdiff_t>(i);
    const std::int64_t distance = items[i + p].offset - items[i].offset;
    out.push_back({items[i].offset, alphabet.word(Items(from, from + static_cast<std::ptrdiff_t>(p))),
                   static_cast<std::int64_t>(copies), distance});
    i += copies * p;
    changed = true;
  }
  if (changed) items = std::move(out);
  return changed;
}

}  // namespace

bool repeated_item(Items& items, Alphabet& alphabet) {
  return items.size() > 2 && repetitions(items, 1, alphabet);
}

std::size_t longest_repetition(std::size_t items) noexcept {
  return items > kShortList ? kMaxWordInLongList : items / 3;
}

bool repetition(Items& items, Alphabet& alphabet) {
  const std::size_t longest = longest_repetition(items.size());
  for (std::size_t p = 2; p <= longest; ++p)
    if (repetitions(items, p, alphabet)) return true;
  return false;
}

}  // namespace gapless::normal::rules

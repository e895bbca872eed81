// z at d - s + dz, loop(n, s, (.. , z at dz)) at d -> loop(n, s, (z, ..)), z: a loop begins as early as it can.
// Proof: z w z w z and (z w)(z w) z are one sequence, and z is one stride before the loop's first z.
#include <algorithm>

#include "normal/rules.hpp"

namespace gapless::normal::rules {
namespace {

bool rotate(Items& items, std::size_t i, Alphabet& alphabet) {
  const Items& word = items[i].letter->items;
  const Item& last = word.back();
  Item loop = items[i];
  Item& before = items[i - 1];
  std::int64_t place;
  if (!before.same_as(last) || __builtin_sub_overflow(loop.offset + last.offset, loop.stride, &place) ||
      before.offset != place)
    return false;
  // The final z stays after the loop.
  Item final = last;
  final.offset = loop.offset + (loop.count - 1) * loop.stride + last.offset;
  Items rotated{last};
  rotated[0].offset -= loop.stride;
  rotated.insert(rotated.end(), word.begin(), word.end() - 1);
  loop.offset = before.offset;
  loop.letter = alphabet.word(std::move(rotated));
  before = loop;
  items[i] = final;
  return true;
}

}  // namespace

bool rotate_left(Items& items, Alphabet& alphabet) {
  bool changed = false;
  for (std::size_t i = 1; i < items.size(); ++i)
    if (items[i].count > 1 && items[i].letter->items.size() > 1) changed |= rotate(items, i, alphabet);
  return changed;
}

}  // namespace gapless::normal::rules

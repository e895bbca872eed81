// loop(n, s, w) at d, and the items of a copy of the word w at d + n s or at d - s -> loop(n + 1, s, w);
// loop(n, s, w) at d, loop(m, s, w) at d + n s -> loop(n + m, s, w).
// Proof: the copy is where the loop's next copy, or the one before its first, would be.
// Words only: progression does the same for single letters.
#include <utility>

#include "normal/rules.hpp"

namespace gapless::normal::rules {
namespace {

// True if the items that start at `from` are one copy of the word with its origin at `offset`.
bool is_copy(const Item* from, const Items& word, std::int64_t offset) {
  if (from[0].offset != offset) return false;
  for (std::size_t i = 0; i < word.size(); ++i)
    if (!from[i].same_as(word[i]) || from[i].offset - offset != word[i].offset) return false;
  return true;
}

// Computes the offset one stride after the last copy; false if it overflows.
bool next_place(const Item& loop, std::int64_t& place) {
  return !__builtin_mul_overflow(loop.count, loop.stride, &place) &&
         !__builtin_add_overflow(loop.offset, place, &place);
}

}  // namespace

bool join_copies(Items& items, Alphabet&) {
  Items out;
  out.reserve(items.size());
  bool changed = false;
  for (std::size_t i = 0; i < items.size();) {
    Item loop = items[i++];
    if (loop.count > 1 && !loop.letter->items.empty()) {
      const Items& word = loop.letter->items;
      std::int64_t place;
      while (out.size() >= word.size() && !__builtin_sub_overflow(loop.offset, loop.stride, &place) &&
             is_copy(&out[out.size() - word.size()], word, place)) {
        out.resize(out.size() - word.size());
        loop.offset = place;
        ++loop.count;
        changed = true;
      }
      while (i < items.size() && next_place(loop, place)) {
        const Item& next = items[i];
        if (next.letter == loop.letter && next.count > 1 && next.stride == loop.stride && next.offset == place) {
          loop.count += next.count;
          ++i;
        } else if (i + word.size() <= items.size() && is_copy(&items[i], word, place)) {
          ++loop.count;
          i += word.size();
        } else {
          break;
        }
        changed = true;
      }
    }
    out.push_back(loop);
  }
  if (changed) items = std::move(out);
  return changed;
}

}  // namespace gapless::normal::rules

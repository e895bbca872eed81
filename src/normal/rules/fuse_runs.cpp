// run(a) at d, run(b) at d + a -> run(a + b) at d, also where the runs are the ends of loops: these are opened first.
// Proof: the second run begins at the byte after the first one, in memory and in the sequence. The first copy of a
// loop, or its last, is where the loop says, and writing it out changes nothing.
#include <algorithm>

#include "normal/rules.hpp"

namespace gapless::normal::rules {
namespace {

// The rest of a loop after one copy was taken off its end. Two copies are two items.
void push_copies(Items& items, Item item) {
  if (item.count == 2) {
    items.push_back({item.offset, item.letter});
    items.push_back({item.offset + item.stride, item.letter});
  } else if (item.count > 0) {
    items.push_back(item);
  }
}

// A lone copy of a word is its items.
void inline_words(Items& items, const Item& item) {
  if (item.count == 1 && !item.letter->items.empty())
    append(items, item.letter->items, item.offset);
  else
    items.push_back(item);
}

// Takes the last copy of the last item off until a lone letter ends the list.
void open_end(Items& items) {
  while (items.back().count > 1) {
    Item item = items.back();
    items.pop_back();
    --item.count;
    Items rest;
    push_copies(rest, item);
    for (const Item& copy : rest) inline_words(items, copy);
    inline_words(items, {item.offset + item.count * item.stride, item.letter});
  }
}

// `pending`: the items to come, the next one last.
void open_front(Items& pending) {
  while (pending.back().count > 1) {
    Item item = pending.back();
    pending.pop_back();
    Item first{item.offset, item.letter};
    item.offset += item.stride;
    --item.count;
    Items front, rest;
    inline_words(front, first);
    push_copies(rest, item);
    for (const Item& copy : rest) inline_words(front, copy);
    pending.insert(pending.end(), front.rbegin(), front.rend());
  }
}

}  // namespace

bool fuse_runs(Items& items, Alphabet& alphabet) {
  const auto adjoin = [](const Item& a, const Item& b) {
    return !a.letter->node && !b.letter->node && a.end() == b.offset;
  };
  if (std::adjacent_find(items.begin(), items.end(), adjoin) == items.end()) return false;
  Items pending(items.rbegin(), items.rend());
  Items out;
  bool changed = false;
  while (!pending.empty()) {
    if (out.empty() || !adjoin(out.back(), pending.back())) {
      out.push_back(pending.back());
      pending.pop_back();
      continue;
    }
    open_end(out);
    open_front(pending);
    if (out.back().letter->node || pending.back().letter->node) {  // deeper down, the end of a table
      out.push_back(pending.back());
      pending.pop_back();
      continue;
    }
    out.back().letter = alphabet.run(out.back().letter->bytes + pending.back().letter->bytes);
    pending.pop_back();
    changed = true;
  }
  if (changed) items = std::move(out);
  return changed;
}

}  // namespace gapless::normal::rules

// What the rules work on before they make nodes: a sequence as a list of items, each one or more copies of a letter.
//
//   letter: a run, or a word (a list of items, used as the body of a loop), or a finished node that is too long to be
//           opened (a table)
//   item:   `count` copies of a letter, `stride` apart, the first at `offset`
//
// Counts are 1 or at least 3: two copies are two items, so that neither is bound to the other before the whole sequence
// is known. Letters are interned: within one alphabet equal letters are one object, so comparing them is free.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "normal/form.hpp"

namespace gapless::normal {

struct Letter;

struct Item {
  std::int64_t offset;  // [bytes] of the first copy's first run
  const Letter* letter;
  std::int64_t count = 1;
  std::int64_t stride = 0;  // [bytes]

  std::int64_t bytes() const noexcept;
  // The offset of the last run, and of the byte after it in memory.
  std::int64_t last_offset() const noexcept;
  std::int64_t end() const noexcept;
  bool is_run() const noexcept;
  // True for the same copies of the same letter, whatever the offset.
  bool same_as(const Item& other) const noexcept {
    return letter == other.letter && count == other.count && (count == 1 || stride == other.stride);
  }
};

using Items = std::vector<Item>;

struct Letter {
  // A run has neither; a word has items, the first at 0; anything else is a node.
  Items items;
  NodePtr node;

  std::int64_t bytes = 0;  // of data
  std::int64_t runs = 1;
  std::int64_t first_bytes = 0;  // [bytes] of the first run, which is at 0
  std::int64_t last_offset = 0;  // [bytes] of the last run
  std::int64_t last_bytes = 0;
  std::uint64_t hash = 0;
  mutable NodePtr gathered;  // the letter as a node, once gather() has made it

  bool is_run() const noexcept { return items.empty() && !node; }
};

inline std::int64_t Item::bytes() const noexcept {
  return count * letter->bytes;
}
inline std::int64_t Item::last_offset() const noexcept {
  return offset + (count - 1) * stride + letter->last_offset;
}
inline std::int64_t Item::end() const noexcept {
  return last_offset() + letter->last_bytes;
}
inline bool Item::is_run() const noexcept {
  return count == 1 && letter->is_run();
}

std::int64_t bytes_of(const Items& items) noexcept;
void shift(Items& items, std::int64_t by) noexcept;
// Shifts the items so that the first is at 0; returns its former offset. Not shift(): the negative may overflow.
std::int64_t move_to_origin(Items& items) noexcept;
// Appends `more`, shifted by `by`.
void append(Items& items, const Items& more, std::int64_t by);

// Interns letters and nodes.
class Alphabet {
 public:
  const Letter* run(std::int64_t bytes);
  const Letter* node(NodePtr node);
  // One copy of `items`, whatever their origin: a lone letter is itself.
  const Letter* word(Items items);
  // The items of one copy of the letter, the first at 0.
  static Items items_of(const Letter& letter);
  // The first node equal to this one.
  NodePtr unique(NodePtr node);

 private:
  const Letter* intern(Letter letter);
  std::unordered_multimap<std::uint64_t, std::unique_ptr<const Letter>> letters_;
  std::unordered_multimap<std::uint64_t, NodePtr> nodes_;
  std::unordered_map<std::int64_t, const Letter*> runs_;
};

}  // namespace gapless::normal

#include "normal/word.hpp"

#include <algorithm>
#include <utility>

#include "normal/hash.hpp"

namespace gapless::normal {

std::int64_t bytes_of(const Items& items) noexcept {
  std::int64_t bytes = 0;
  for (const Item& item : items) bytes += item.bytes();
  return bytes;
}

void shift(Items& items, std::int64_t by) noexcept {
  for (Item& item : items) item.offset += by;
}

std::int64_t move_to_origin(Items& items) noexcept {
  const std::int64_t origin = items.front().offset;
  for (Item& item : items) item.offset -= origin;
  return origin;
}

void append(Items& items, const Items& more, std::int64_t by) {
  // No reserve(): with the exact size, a list that grows by a few items at a time would move every time.
  for (Item item : more) {
    item.offset += by;
    items.push_back(item);
  }
}

const Letter* Alphabet::intern(Letter letter) {
  const auto [from, to] = letters_.equal_range(letter.hash);
  for (auto it = from; it != to; ++it) {
    const Letter& known = *it->second;
    if (known.bytes == letter.bytes && known.node == letter.node &&
        std::equal(known.items.begin(), known.items.end(), letter.items.begin(), letter.items.end(),
                   [](const Item& a, const Item& b) { return a.offset == b.offset && a.same_as(b); }))
      return it->second.get();
  }
  const std::uint64_t hash = letter.hash;
  return letters_.emplace(hash, std::make_unique<const Letter>(std::move(letter)))->second.get();
}

const Letter* Alphabet::run(std::int64_t bytes) {
  const Letter*& known = runs_[bytes];
  if (known == nullptr) {
    Letter letter;
    letter.bytes = letter.first_bytes = letter.last_bytes = bytes;
    letter.hash = mixed(11, bytes);
    known = intern(std::move(letter));
  }
  return known;
}

NodePtr Alphabet::unique(NodePtr node) {
  const auto [from, to] = nodes_.equal_range(node->hash);
  for (auto it = from; it != to; ++it)
    if (equal(*it->second, *node)) return it->second;
  const std::uint64_t hash = node->hash;
  return nodes_.emplace(hash, std::move(node))->second;
}

namespace {

void find_ends(const Node& node, Letter& letter) {
  const Node* first = &node;
  while (first->kind != Kind::kRun && first->kind != Kind::kBlocks)
    first = first->kind == Kind::kSequence ? first->parts.front().node.get() : first->body.get();
  letter.first_bytes = first->kind == Kind::kRun ? first->bytes : first->lengths.front();
  const Node* last = &node;
  while (last->kind != Kind::kRun) {
    switch (last->kind) {
      case Kind::kLoop:
        letter.last_offset += (last->count - 1) * last->stride;
        last = last->body.get();
        continue;
      case Kind::kTable:
        letter.last_offset += last->offsets.back();
        last = last->body.get();
        continue;
      case Kind::kSequence:
        letter.last_offset += last->parts.back().offset;
        last = last->parts.back().node.get();
        continue;
      case Kind::kBlocks:
        letter.last_offset += last->offsets.back();
        letter.last_bytes = last->lengths.back();
        return;
      case Kind::kRun:
        break;
    }
  }
  letter.last_bytes = last->bytes;
}

}  // namespace

const Letter* Alphabet::node(NodePtr node) {
  if (node->kind == Kind::kRun) return run(node->bytes);
  Letter letter;
  letter.node = unique(std::move(node));
  letter.bytes = letter.node->bytes;
  letter.runs = letter.node->runs;
  find_ends(*letter.node, letter);
  letter.hash = mixed(12, letter.node->hash);
  letter.gathered = letter.node;
  return intern(std::move(letter));
}

const Letter* Alphabet::word(Items items) {
  move_to_origin(items);
  if (items.size() == 1 && items[0].count == 1) return items[0].letter;
  Letter letter;
  letter.bytes = letter.runs = 0;
  letter.hash = 13;
  for (const Item& item : items) {
    letter.bytes += item.bytes();
    letter.runs += item.count * item.letter->runs;
    letter.hash = mixed(mixed(letter.hash, item.offset), item.letter->hash);
    if (item.count > 1) letter.hash = mixed(mixed(letter.hash, item.count), item.stride);
  }
  letter.first_bytes = items.front().letter->first_bytes;
  letter.last_offset = items.back().last_offset();
  letter.last_bytes = items.back().letter->last_bytes;
  letter.items = std::move(items);
  return intern(std::move(letter));
}

Items Alphabet::items_of(const Letter& letter) {
  if (!letter.items.empty()) return letter.items;
  return {{0, &letter}};
}

}  // namespace gapless::normal

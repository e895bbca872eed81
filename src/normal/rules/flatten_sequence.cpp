// sequence(.., sequence(a, b), ..) -> sequence(.., a, b, ..).
// Proof: a part's own parts follow one another without anything between them; their offsets add up.
// Only inner sequences that are short: one that is shared by many types of a description is copied into each, and a
// bound on its length is what keeps the form linear in the description. And only where none occurs twice: equal inner
// sequences are left to equal_parts, which keeps one copy.
#include <algorithm>
#include <vector>

#include "normal/rules.hpp"

namespace gapless::normal::rules {
namespace {

bool is_short_sequence(const Part& part) {
  return part.node->kind == Kind::kSequence && part.node->parts.size() <= kMostFlattenedParts;
}

}  // namespace

bool flatten_sequence(Draft& draft) {
  if (draft.node.kind != Kind::kSequence) return false;
  std::vector<const Node*> inner;
  for (const Part& part : draft.node.parts)
    if (is_short_sequence(part)) inner.push_back(part.node.get());
  if (inner.empty()) return false;
  std::sort(inner.begin(), inner.end());
  if (std::adjacent_find(inner.begin(), inner.end()) != inner.end()) return false;

  std::vector<Part> flat;
  for (const Part& part : draft.node.parts) {
    if (!is_short_sequence(part)) {
      flat.push_back(part);
      continue;
    }
    for (const Part& piece : part.node->parts) flat.push_back({part.offset + piece.offset, piece.node});
  }
  draft.node.parts = std::move(flat);
  return true;
}

}  // namespace gapless::normal::rules

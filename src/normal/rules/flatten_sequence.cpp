// sequence(.., sequence(a, b), ..) -> sequence(.., a, b, ..).
// Proof: a part's own parts follow one another without anything between them; their offsets add up.
// Only where no inner sequence occurs twice, so that nothing is copied more often than it was described. Equal inner
// sequences are left to equal_parts, which keeps one copy.
#include <algorithm>
#include <vector>

#include "normal/rules.hpp"

namespace gapless::normal::rules {

bool flatten_sequence(Draft& draft) {
  if (draft.node.kind != Kind::kSequence) return false;
  std::vector<const Node*> inner;
  for (const Part& part : draft.node.parts)
    if (part.node->kind == Kind::kSequence) inner.push_back(part.node.get());
  if (inner.empty()) return false;
  std::sort(inner.begin(), inner.end());
  if (std::adjacent_find(inner.begin(), inner.end()) != inner.end()) return false;

  std::vector<Part> flat;
  for (const Part& part : draft.node.parts) {
    if (part.node->kind != Kind::kSequence) {
      flat.push_back(part);
      continue;
    }
    for (const Part& piece : part.node->parts) flat.push_back({part.offset + piece.offset, piece.node});
  }
  draft.node.parts = std::move(flat);
  return true;
}

}  // namespace gapless::normal::rules

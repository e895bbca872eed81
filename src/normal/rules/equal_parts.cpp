// sequence(x at d0, x at d1, ..) -> table({d0, d1, ..}, x).
// Proof: a table is by definition one copy of its body at each offset, in the order of the offsets.
#include "normal/rules.hpp"

namespace gapless::normal::rules {

bool equal_parts(Draft& draft) {
  Node& node = draft.node;
  if (node.kind != Kind::kSequence || node.parts.size() < 2) return false;
  const NodePtr body = node.parts.front().node;
  for (const Part& part : node.parts)
    if (part.node != body && !equal(*part.node, *body)) return false;
  Node table;
  table.kind = Kind::kTable;
  table.body = body;
  table.offsets.reserve(node.parts.size());
  for (const Part& part : node.parts) table.offsets.push_back(part.offset);
  node = std::move(table);
  return true;
}

}  // namespace gapless::normal::rules

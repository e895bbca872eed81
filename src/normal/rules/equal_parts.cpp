// sequence(x at d0, x at d1, ..) -> a copy of x at each of d0, d1, ..: a loop of two, or a table.
// Proof: both are by definition one copy of their body at each place, in this order.
#include "normal/parts.hpp"
#include "normal/rules.hpp"

namespace gapless::normal::rules {

bool equal_parts(std::vector<Part>& parts, Alphabet& alphabet) {
  std::vector<Part> out;
  bool changed = false;
  std::vector<std::int64_t> offsets;
  for (std::size_t i = 0; i < parts.size();) {
    offsets.clear();
    const NodePtr node = parts[i].node;
    for (; i < parts.size() && parts[i].node == node; ++i) offsets.push_back(parts[i].offset);
    changed |= offsets.size() > 1;
    out.push_back(copies_at(offsets, node, alphabet));
  }
  if (changed) parts = std::move(out);
  return changed;
}

}  // namespace gapless::normal::rules

// table(o, x) at d, table(p, x) at e -> table(d + o, e + p; x), and the same with a lone x in the place of either.
// Proof: a table is one copy of its body at each offset, in the order of the offsets; a lone x is a table of one.
#include "normal/parts.hpp"
#include "normal/rules.hpp"

namespace gapless::normal::rules {
namespace {

// Short ones only, as in irregular_list.
bool is_table(const Part& part) {
  return part.node->kind == Kind::kTable && part.node->offsets.size() <= kMostItems;
}

const Node* body_of(const Part& part) {
  return is_table(part) ? part.node->body.get() : part.node.get();
}

}  // namespace

bool join_tables(std::vector<Part>& parts, Alphabet& alphabet) {
  std::vector<Part> out;
  bool changed = false;
  for (std::size_t i = 0; i < parts.size();) {
    std::size_t end = i;
    bool any_table = false;
    // With the table's body as the measure, wherever in the stretch the table stands.
    const Node* body = body_of(parts[i]);
    for (; end < parts.size() && body_of(parts[end]) == body; ++end) any_table |= is_table(parts[end]);
    if (end - i < 2 || !any_table) {
      for (; i < end; ++i) out.push_back(parts[i]);
      continue;
    }
    std::vector<std::int64_t> offsets;
    NodePtr shared;
    for (; i < end; ++i) {
      const Node& node = *parts[i].node;
      if (!is_table(parts[i])) {
        offsets.push_back(parts[i].offset);
        continue;
      }
      shared = node.body;
      for (const std::int64_t offset : node.offsets) offsets.push_back(parts[i].offset + offset);
    }
    out.push_back(copies_at(offsets, shared, alphabet));
    changed = true;
  }
  if (changed) parts = std::move(out);
  return changed;
}

}  // namespace gapless::normal::rules

// sequence(.., run(a) at d, run(b) at d + a, ..) -> sequence(.., run(a + b) at d, ..).
// Proof: the second run begins at the byte behind the first one, in memory and in the sequence.
#include "normal/rules.hpp"

namespace gapless::normal::rules {

bool fuse_adjacent(Draft& draft) {
  if (draft.node.kind != Kind::kSequence) return false;
  std::vector<Part>& parts = draft.node.parts;
  const auto fuses = [](const Part& a, const Part& b) {
    return a.node->kind == Kind::kRun && b.node->kind == Kind::kRun && a.offset + a.node->bytes == b.offset;
  };
  bool changed = false;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < parts.size();) {
    std::size_t last = i;
    while (last + 1 < parts.size() && fuses(parts[last], parts[last + 1])) ++last;
    Part fused = parts[i];
    if (last > i) {
      fused.node = make_run(parts[last].offset + parts[last].node->bytes - parts[i].offset);
      changed = true;
    }
    parts[kept++] = std::move(fused);
    i = last + 1;
  }
  parts.resize(kept);
  return changed;
}

}  // namespace gapless::normal::rules

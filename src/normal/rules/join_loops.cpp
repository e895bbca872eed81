// sequence(.., loop(n, s, x) at d, loop(m, s, x) at d + n * s, ..) -> sequence(.., loop(n + m, s, x) at d, ..),
// and the same with a lone x in the place of either loop.
// Proof: the second part's first copy stands where the first loop's copy number n would stand, and a lone x is a loop
// of one copy.
#include "normal/build.hpp"
#include "normal/rules.hpp"

namespace gapless::normal::rules {
namespace {

// The part seen as copies of `body`: 0 if it is something else.
std::int64_t copies_of(const Node& body, std::int64_t stride, const Node& part) {
  if (part.kind == Kind::kLoop && part.stride == stride && equal(*part.body, body)) return part.count;
  return equal(part, body) ? 1 : 0;
}

bool join(const Part& a, const Part& b, Part& joined) {
  const Node* pattern = a.node->kind == Kind::kLoop ? a.node.get() : b.node.get();
  // Where both are loops, the first decides; if that fails, the first may still be a lone copy of the second's body.
  for (int attempt = 0; attempt < 2; ++attempt, pattern = b.node.get()) {
    if (pattern->kind != Kind::kLoop) continue;
    const std::int64_t first = copies_of(*pattern->body, pattern->stride, *a.node);
    const std::int64_t second = copies_of(*pattern->body, pattern->stride, *b.node);
    if (first == 0 || second == 0) continue;
    std::int64_t next;  // where copy number `first` would stand: one stride more than the constructors have checked
    if (__builtin_mul_overflow(first, pattern->stride, &next) || b.offset - a.offset != next) continue;
    Node node;
    node.kind = Kind::kLoop;
    node.count = first + second;
    node.stride = pattern->stride;
    node.body = pattern->body;
    joined = {a.offset, finish(std::move(node))};
    return true;
  }
  return false;
}

}  // namespace

bool join_loops(Draft& draft) {
  if (draft.node.kind != Kind::kSequence) return false;
  std::vector<Part>& parts = draft.node.parts;
  bool changed = false;
  std::size_t kept = 0;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    Part joined;
    if (join(parts[kept], parts[i], joined)) {
      parts[kept] = std::move(joined);
      changed = true;
    } else {
      parts[++kept] = parts[i];
    }
  }
  parts.resize(kept + 1);
  return changed;
}

}  // namespace gapless::normal::rules

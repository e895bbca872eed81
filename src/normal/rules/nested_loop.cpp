// loop(n, m * s, loop(m, s, body)) -> loop(n * m, s, body).
// Proof: copy (i, j) stands at i * m * s + j * s = (i * m + j) * s, and (i, j) in lexicographic order is i * m + j in
// ascending order.
#include "normal/rules.hpp"

namespace gapless::normal::rules {

bool nested_loop(Draft& draft) {
  Node& node = draft.node;
  if (node.kind != Kind::kLoop || node.body->kind != Kind::kLoop) return false;
  const NodePtr inner = node.body;
  std::int64_t whole;
  if (__builtin_mul_overflow(inner->count, inner->stride, &whole) || node.stride != whole) return false;
  node.count *= inner->count;
  node.stride = inner->stride;
  node.body = inner->body;
  return true;
}

}  // namespace gapless::normal::rules

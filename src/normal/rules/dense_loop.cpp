// loop(count, bytes, run(bytes)) -> run(count * bytes).
// Proof: copy i covers [i * bytes, (i + 1) * bytes), so it ends where copy i + 1 begins: the copies are one run,
// and in ascending order. A stride of -bytes is not dense: its copies come in descending order.
#include "normal/rules.hpp"

namespace gapless::normal::rules {

bool dense_loop(Draft& draft) {
  const Node& node = draft.node;
  if (node.kind != Kind::kLoop || node.body->kind != Kind::kRun || node.stride != node.body->bytes) return false;
  draft.ready = make_run(node.count * node.body->bytes);
  return true;
}

}  // namespace gapless::normal::rules

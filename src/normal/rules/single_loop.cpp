// loop(1, stride, body) -> body.
// Proof: the only copy stands at the loop's own origin; the stride separates it from nothing.
#include "normal/rules.hpp"

namespace gapless::normal::rules {

bool single_loop(Draft& draft) {
  if (draft.node.kind != Kind::kLoop || draft.node.count != 1) return false;
  draft.ready = draft.node.body;
  return true;
}

}  // namespace gapless::normal::rules

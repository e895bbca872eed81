// sequence(x at 0) -> x.
// Proof: nothing precedes or follows it.
#include "normal/rules.hpp"

namespace gapless::normal::rules {

bool single_part(Draft& draft) {
  if (draft.node.kind != Kind::kSequence || draft.node.parts.size() != 1) return false;
  draft.ready = draft.node.parts.front().node;
  return true;
}

}  // namespace gapless::normal::rules

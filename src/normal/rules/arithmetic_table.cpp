// table({0, s, 2 * s, .., (n - 1) * s}, x) -> loop(n, s, x).
// Proof: offset i is i * s, which is where copy i of the loop stands.
#include "normal/rules.hpp"

namespace gapless::normal::rules {

bool arithmetic_table(Draft& draft) {
  Node& node = draft.node;
  if (node.kind != Kind::kTable) return false;
  const std::vector<std::int64_t>& offsets = node.offsets;
  const std::int64_t stride = offsets[1] - offsets[0];
  for (std::size_t i = 2; i < offsets.size(); ++i)
    if (offsets[i] - offsets[i - 1] != stride) return false;
  Node loop;
  loop.kind = Kind::kLoop;
  loop.count = static_cast<std::int64_t>(offsets.size());
  loop.stride = stride;
  loop.body = node.body;
  node = std::move(loop);
  return true;
}

}  // namespace gapless::normal::rules

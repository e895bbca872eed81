#include "ext/alltoall/ways.hpp"

namespace gapless::ext::regular {

Way way_of(const std::vector<Piece>& pieces, const Memory& memory, Asked asked, bool is_persistent) noexcept {
  (void)is_persistent;
  (void)memory;
  if (asked == Asked::kTypes) return Way::kTypes;
  if (asked == Asked::kStaged) return Way::kStaged;
  if (pieces.size() > 1) return Way::kStaged;
  return memory.blocks_of(pieces.front().buffer).is_for_engine() ? Way::kStaged : Way::kTypes;
}

}  // namespace gapless::ext::regular

#include "ext/alltoall/ways.hpp"

namespace gapless::ext::regular {

Way way_of(const std::vector<Piece>& pieces, const Memory& memory, Asked asked, bool is_persistent) noexcept {
  (void)is_persistent;
  (void)memory;
  if (asked == Asked::kTypes) return Way::kTypes;
  if (asked == Asked::kStaged) return Way::kStaged;
  return pieces.size() == 1 ? Way::kTypes : Way::kStaged;
}

}  // namespace gapless::ext::regular

#include "ext/alltoallv/choice.hpp"

#include <algorithm>
#include <cstdint>

namespace gapless::ext::irregular {

Extremes extremes_of(const Blocks& blocks, int rank) noexcept {
  if (blocks.size() < 2) return {};
  Extremes found{INT64_MAX, 0};
  for (int peer = 0; peer < blocks.size(); ++peer) {
    if (peer == rank) continue;
    found.smallest = std::min(found.smallest, blocks[peer].bytes);
    found.largest = std::max(found.largest, blocks[peer].bytes);
  }
  return found;
}

// No block has INT64_MAX bytes.
int reduce(const PrivateComm& comm, bool is_wrong, Extremes& extremes) {
  const std::int64_t mine[2] = {is_wrong ? INT64_MAX : extremes.largest, -extremes.smallest};
  std::int64_t all[2] = {};
  if (const int code = MPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_MAX, comm.comm()); code != MPI_SUCCESS) return code;
  if (all[0] == INT64_MAX) return MPI_ERR_OTHER;
  extremes = {-all[1], all[0]};
  return MPI_SUCCESS;
}

}  // namespace gapless::ext::irregular

#include "ext/alltoallv/exchange.hpp"

namespace gapless::ext::irregular {

using alltoall::irregular::Algorithm;

// One after the other: MPI_Waitall would hide the errors in statuses.
int complete(MPI_Request* requests, int count) noexcept {
  int first = MPI_SUCCESS;
  for (int k = 0; k < count; ++k)
    if (requests[k] != MPI_REQUEST_NULL) note(first, MPI_Wait(&requests[k], MPI_STATUS_IGNORE));
  return first;
}

std::unique_ptr<Exchange> make_exchange(Algorithm algorithm, Call&& call, std::int64_t largest) {
  switch (algorithm) {
    case Algorithm::kZeroCopy:
      return make_bruck(Way::kZeroCopy, std::move(call), largest);
    case Algorithm::kTwoPhase:
      return make_bruck(Way::kTwoPhase, std::move(call), largest);
    case Algorithm::kPadded:
      return make_bruck(Way::kPadded, std::move(call), largest);
    case Algorithm::kPairwise:
      return make_pairwise(std::move(call));
    default:
      return make_spread_out(std::move(call));
  }
}

}  // namespace gapless::ext::irregular

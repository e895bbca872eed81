#include "ext/alltoallv/exchange.hpp"

namespace gapless::ext::irregular {

using alltoall::irregular::Algorithm;

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

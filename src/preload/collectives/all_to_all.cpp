// MPI_Allgather(v), MPI_Alltoall(v, w), in all forms.
#include "preload/collectives/all_to_all.hpp"

namespace gapless::preload {

Reason decide_messages(Collective& collective, Reason reason) noexcept {
  Side &sent = collective.sent, &received = collective.received;
  switch (reason) {
    case Reason::kNone:
    case Reason::kLarge:
    case Reason::kOff:
    case Reason::kUnproved:
    case Reason::kContiguous:
    case Reason::kSmall:
    case Reason::kCombiner:
      break;
    default:  // not all is described
      collective.messages.reset();
      return reason;
  }
  received.leave_device_data_to_library();
  const std::span<const Piece> out = sent.blocks().pieces(), in = received.blocks().pieces();
  const bool may_rewrite = (reason == Reason::kNone || reason == Reason::kSmall || reason == Reason::kContiguous) &&
                           !sent.blocks().needs_library() && !received.blocks().needs_library();
  const bool sends = may_rewrite && collective.messages->may_send(out, reason == Reason::kNone && sent.is_staged());
  if (!sends && !BlockMessages::may_receive(in)) {
    collective.messages.reset();
    return reason;
  }
  if (reason != Reason::kNone) collective.leave();
  if (sends) sent.stage();
  if (!received.is_rewritten()) BlockMessages::leave(in);
  if (!sends) collective.left = reason;
  return Reason::kNone;
}

GAPLESS_FORMS(GAPLESS_PLAIN_COLLECTIVE, Allgather, Iallgather, Allgather_init, ROOTLESS, plain_exchange, Among::kAll,
              true)
GAPLESS_FORMS(GAPLESS_PLAIN_COLLECTIVE, Alltoall, Ialltoall, Alltoall_init, ROOTLESS, plain_exchange, Among::kAll,
              false)
GAPLESS_FORMS(GAPLESS_V_COLLECTIVE, Allgatherv, Iallgatherv, Allgatherv_init, PLAIN, V, ROOTLESS, v_gather)
GAPLESS_FORMS(GAPLESS_V_COLLECTIVE, Alltoallv, Ialltoallv, Alltoallv_init, V, V, ROOTLESS, v_exchange, Among::kAll)
GAPLESS_FORMS(GAPLESS_V_COLLECTIVE, Alltoallw, Ialltoallw, Alltoallw_init, W, W, ROOTLESS, w_exchange, Among::kAll)

}  // namespace gapless::preload

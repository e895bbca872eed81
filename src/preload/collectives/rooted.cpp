// MPI_Gather, MPI_Scatter, in all forms. Blocks go to the root or come from it.
#include <vector>

#include "preload/collectives/forms.hpp"
#include "preload/collectives/pairing.hpp"
#include "preload/collectives/refusal.hpp"

namespace gapless::preload {

namespace {

// The root of MPI_Gather waits for all, and all for its decision.
template <bool gathers>
constexpr Traffic kTraffic = gathers ? Traffic::kExchange : Traffic::kFromRoot;

// True if all blocks may go through shared memory, and the members do not keep silent about it. (Those of MPI_Scatter
// hear from the root alone, for which nobody waits.)
template <bool gathers>
bool may_exchange(Call& call, std::int64_t bytes) noexcept {
  return may_exchange(call, kTraffic<gathers>, bytes) && (!gathers || asks_all(call));
}

// Pairs all of a call that is described, or nothing.
template <bool gathers>
void pair(const Call& call, Collective& collective, int root, bool in_place) noexcept {
  prepare_blocks(call);
  std::vector<Piece>&out = collective.blocks_out, &in = collective.blocks_in;
  const bool is_root = call.members.rank == root;
  const Blocks& of_root = (gathers ? collective.received : collective.sent).blocks();
  const Blocks& of_each = (gathers ? collective.sent : collective.received).blocks();
  const bool room = (!is_root || list_blocks(of_root, call.members.size, gathers ? in : out)) &&
                    (in_place || list_blocks(of_each, 1, gathers ? out : in));
  if (!room) {
    collective.error = MPI_ERR_NO_MEM;
  } else if (gathers) {
    pair_to_root(call, collective, root, out, in);
  } else {
    pair_from_root(call, collective, root, out, in);
  }
}

// At the root there is a side of many blocks, everywhere one of a single block, which the root may leave where it is
// among the many (MPI_IN_PLACE).
template <bool gathers, class Native>
int rooted(int root, Call call, const View& out, const View& in, Native&& native) {
  const View &many = gathers ? in : out, &single = gathers ? out : in;
  call.scope = DecisionScope::kAll;
  const auto describe = [&](Collective& collective) {
    const Members& all = call.members;
    if (root < 0 || root >= all.size) return Reason::kArguments;
    const bool is_root = all.rank == root, in_place = is_root && single.buffer == MPI_IN_PLACE;
    Side& of_root = gathers ? collective.received : collective.sent;
    Side& of_each = gathers ? collective.sent : collective.received;
    constexpr Direction kMany = gathers ? kIn : kOut, kSingle = gathers ? kOut : kIn;
    Reason reason = in_place ? Reason::kNone : of_each.describe(single, 1, {kSingle});
    const std::int64_t bytes = of_each.blocks().block_bytes();
    if (reason == Reason::kNone && is_root) {
      if (!in_place && is_refused(single, many, root, bytes)) return Reason::kArguments;
      reason = of_root.describe(many, all.size, {kMany, root, in_place ? kStays : kMany});
      if (!in_place && reason == Reason::kNone) of_each.join(of_root);
    }
    const std::int64_t block_bytes = in_place ? of_root.blocks().block_bytes() : bytes;
    call.max_bytes = both_ways(block_bytes, all.size);
    if (reason == Reason::kNone && may_exchange<gathers>(call, block_bytes)) {
      pair<gathers>(call, collective, root, in_place);
    }
    return reason;
  };
  const auto at_once = [&](int& code) {
    const Members& all = call.members;
    const bool is_root = all.rank == root;
    View of_root = many, of_each = single;
    if (root < 0 || root >= all.size || !rewrite_as_bytes(of_each, 1) || may_exchange<gathers>(call, of_each.count) ||
        !may_be_staged(both_ways(of_each.count, all.size)) || (is_root && !rewrite_as_bytes(of_root, all.size)) ||
        (is_root && is_wrongly_refused(of_each, of_root, single, many, root))) {
      return false;
    }
    count_contiguous(call, of_each.count + (is_root ? of_root.count * all.size : 0));
    code = gathers ? native(of_each, of_root, nullptr) : native(of_root, of_each, nullptr);
    return true;
  };
  return perform(call, out, in, describe, native, at_once);
}

}  // namespace

GAPLESS_FORMS(GAPLESS_PLAIN_COLLECTIVE, Gather, Igather, Gather_init, ROOTED, rooted<true>)
GAPLESS_FORMS(GAPLESS_PLAIN_COLLECTIVE, Scatter, Iscatter, Scatter_init, ROOTED, rooted<false>)

}  // namespace gapless::preload

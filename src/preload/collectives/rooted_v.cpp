// MPI_Gatherv, MPI_Scatterv, in all forms. Blocks go to the root or come from it, and it alone knows the sizes of all.
#include <numeric>
#include <tuple>
#include <vector>

#include "preload/collectives/forms.hpp"
#include "preload/collectives/pairing.hpp"
#include "preload/collectives/plain_side.hpp"
#include "preload/collectives/refusal.hpp"

namespace gapless::preload {

namespace {

template <bool gathers>
constexpr Traffic kBlockTraffic = gathers ? Traffic::kExchange : Traffic::kScattered;

// The ends of the blocks of a side that is described: of all members, or of the root.
std::vector<int> ends_of(const Side& side, bool is_many, int root) {
  std::vector<int> ends(side.blocks().pieces().size(), root);
  if (is_many) std::iota(ends.begin(), ends.end(), 0);
  return ends;
}

// Pairs each block that can be, whatever becomes of the others. Returns false with the collective's error. A block that
// the library cannot count is not described where it is alone, and so is paired nowhere.
template <bool gathers>
bool pair(const Call& call, Collective& collective, int root) noexcept {
  if (!may_pair(call, collective, kBlockTraffic<gathers>)) return true;
  Ends ends;
  try {
    ends.targets = ends_of(collective.sent, !gathers, root);
    ends.sources = ends_of(collective.received, gathers, root);
    ends.targets_met = meetings(ends.targets, call.members.size);
    ends.sources_met = meetings(ends.sources, call.members.size);
  } catch (...) {
    collective.error = MPI_ERR_NO_MEM;
    return false;
  }
  return pair_blocks(call, collective, ends, kBlockTraffic<gathers>, largest_message());
}

// At the root there is a side of many blocks, everywhere one of a single block, which the root may leave where it is
// among the many (MPI_IN_PLACE).
template <bool gathers, class Out, class In, class Native>
int rooted_v(int root, Call call, const Out& out, const In& in, Native&& native) {
  const auto& many = std::get<gathers>(std::tie(out, in));
  const View& single = std::get<!gathers>(std::tie(out, in));
  call.scope = DecisionScope::kPairwise;
  const auto describe = [&](Collective& collective) {
    const Members& all = call.members;
    if (root < 0 || root >= all.size) return Reason::kArguments;
    const bool is_root = all.rank == root, in_place = is_root && single.buffer == MPI_IN_PLACE;
    Side& of_root = gathers ? collective.received : collective.sent;
    Side& of_each = gathers ? collective.sent : collective.received;
    constexpr Direction kMany = gathers ? kIn : kOut, kSingle = gathers ? kOut : kIn;
    Reason reason = in_place ? Reason::kNone : of_each.describe(single, 1, {kSingle});
    if (reason != Reason::kNone && reason != Reason::kLarge) return reason;
    const std::int64_t bytes = of_each.blocks().block_bytes();
    if (bytes > max_block_bytes(many)) reason = Reason::kLarge;
    if (is_root) {
      if (!in_place && is_refused(single, many, root, bytes)) return Reason::kArguments;
      const Reason of_many = of_root.describe(many, all.size, {kMany, root, in_place ? kStays : kMany});
      if (of_many != Reason::kNone && of_many != Reason::kLarge) return of_many;
      if (reason == Reason::kNone) reason = of_many;
    }
    const bool is_exchanged = pair<gathers>(call, collective, root) && collective.is_exchanged();
    if (reason == Reason::kNone && is_root && !in_place && of_each.is_rewritten()) of_each.join(of_root);
    if (!is_exchanged || reason == Reason::kNone) return reason;
    // The others count on what is paired; the rest goes as the program gave it.
    collective.leave();
    return Reason::kNone;
  };
  // As the program gave it: each process decides for itself. At the root there may be a long block for each of the
  // others, everywhere else one for the root.
  const auto at_once = [&](int& code) {
    prepare_blocks(call);
    Near* const near = may_exchange(call) ? call.members.near : nullptr;
    const Members& all = call.members;
    if (policy.force || root < 0 || root >= all.size) return false;
    const bool asks = near != nullptr && near->channel != nullptr, is_root = all.rank == root;
    const std::int64_t smallest = smallest_paired(kBlockTraffic<gathers>), largest = largest_message();
    View each = single;
    if (!rewrite_as_bytes(each, 1)) return false;
    if (is_root) {
      PlainSide of_root(call, many, {!asks ? nullptr : gathers ? &near->from : &near->towards, smallest, largest});
      std::int64_t bytes = each.count;
      if (!of_root.is_plain(bytes)) return false;
      of_root.keep_silent();
      count_contiguous(call, bytes);
    } else {
      Asking* const asking = !asks ? nullptr : &(gathers ? near->towards : near->from)[static_cast<std::size_t>(root)];
      // Where they ask, asking once more changes nothing.
      const bool may_ask = asking != nullptr && each.count >= smallest && each.count <= largest;
      if (may_ask && asking->asks(call.procedure)) return false;
      count_contiguous(call, each.count);
    }
    code = native(out, in, nullptr);
    return true;
  };
  return perform(call, out, in, describe, native, at_once);
}

}  // namespace

GAPLESS_FORMS(GAPLESS_V_COLLECTIVE, Gatherv, Igatherv, Gatherv_init, PLAIN, V, ROOTED, rooted_v<true>)
GAPLESS_FORMS(GAPLESS_V_COLLECTIVE, Scatterv, Iscatterv, Scatterv_init, V, PLAIN, ROOTED, rooted_v<false>)

}  // namespace gapless::preload

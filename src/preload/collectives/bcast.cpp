// MPI_Bcast, MPI_Ibcast, MPI_Bcast_init.
#include "preload/collectives/forms.hpp"
#include "preload/collectives/pairing.hpp"

namespace gapless::preload {

namespace {

// There is one side, in the place of the received one; what stands in the other's is not looked at.
template <class Native>
int bcast(int root, Call call, const View& given, Native&& native) {
  call.scope = DecisionScope::kAll;
  const auto describe = [&](Collective& collective) {
    if (root < 0 || root >= call.members.size) return Reason::kArguments;
    const Reason reason = collective.received.describe(given, 1, {call.members.rank == root ? kOut : kIn});
    call.max_bytes = collective.received.blocks().bytes();
    const auto pieces = collective.received.blocks().pieces();
    if (reason != Reason::kNone || !may_exchange(call, Traffic::kFromRoot, pieces[0].bytes())) return reason;
    prepare_blocks(call);
    if (call.members.rank == root) {
      pair_from_root(call, collective, root, pieces, {});
    } else {
      pair_from_root(call, collective, root, {}, pieces);
    }
    return reason;
  };
  const auto at_once = [&](int& code) {
    View data = given;
    if (root < 0 || root >= call.members.size || !rewrite_as_bytes(data, 1) || !may_be_staged(data.count)) return false;
    if (may_exchange(call, Traffic::kFromRoot, data.count)) return false;
    count_contiguous(call, data.count);
    code = native(given, data, nullptr);
    return true;
  };
  return perform(call, given, given, describe, native, at_once);
}

}  // namespace

#define GAPLESS_BCAST(name, family, Count, FORM, ROOT)                                                     \
  int wrap_##name(GAPLESS_PLAIN_PARAMETERS(void*, data, Count),                                            \
                  GAPLESS_##ROOT##_PARAMETER GAPLESS_##FORM##_PARAMETERS) {                                \
    const auto native = [&](const View&, const View& r, [[maybe_unused]] MPI_Request* made) {              \
      if (is_large<Count> || r.count > INT_MAX)                                                            \
        return mpi::library.family##_c(GAPLESS_PLAIN_ARGUMENTS(r, MPI_Count),                              \
                                       GAPLESS_##ROOT##_ARGUMENT GAPLESS_##FORM##_ARGUMENTS);              \
      return mpi::library.family(GAPLESS_PLAIN_ARGUMENTS(r, int),                                          \
                                 GAPLESS_##ROOT##_ARGUMENT GAPLESS_##FORM##_ARGUMENTS);                    \
    };                                                                                                     \
    return bcast(GAPLESS_##ROOT##_ARGUMENT GAPLESS_##FORM##_CALL(name), GAPLESS_PLAIN_VIEW(data), native); \
  }
GAPLESS_FORMS(GAPLESS_BCAST, Bcast, Ibcast, Bcast_init, ROOTED)
#undef GAPLESS_BCAST

}  // namespace gapless::preload

// MPI_Bcast, MPI_Ibcast, MPI_Bcast_init.
#include "preload/collectives/collective.hpp"
#include "preload/transfer/transfer.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

template <class Native>
int bcast(Procedure procedure, Form form, const View& given, int root, MPI_Comm comm, MPI_Request* request,
          Native&& native) {
  const auto describe = [&](Collective& collective, Call& call) {
    if (root < 0 || root >= call.members.size) return Reason::kArguments;
    const bool is_root = call.members.rank == root;
    const Reason reason = collective.received.set_plain(given.buffer, given.count, given.type, 1, {is_root, !is_root});
    call.max_bytes = collective.received.bytes();
    return reason;
  };
  const auto changed = [&](Collective* collective, MPI_Request* made) {
    return native(collective == nullptr ? given : view(collective->received, given), made);
  };
  const auto at_once = [&](const Call& call, int& code) {
    View data = given;
    if (root < 0 || root >= call.members.size || !rewrite_as_bytes(data, 1) || !may_be_staged(data.count)) return false;
    count_contiguous(call, data.count);
    code = native(data, nullptr);
    return true;
  };
  return perform({procedure, form, DecisionScope::kAll, comm, request}, describe, changed, at_once);
}

}  // namespace

#define GAPLESS_BCAST(name, family, Count, FORM, Form_)                                                          \
  int wrap_##name(void* buffer, Count count, MPI_Datatype type, int root, GAPLESS_##FORM##_PARAMETERS) {         \
    const auto native = [&](const View& data, [[maybe_unused]] MPI_Request* made) {                              \
      void* const at = const_cast<void*>(data.buffer);                                                           \
      if (is_large<Count> || data.count > INT_MAX)                                                               \
        return mpi::library.family##_c(at, data.count, data.type, root, GAPLESS_##FORM##_ARGUMENTS);             \
      return mpi::library.family(at, static_cast<int>(data.count), data.type, root, GAPLESS_##FORM##_ARGUMENTS); \
    };                                                                                                           \
    return bcast(Procedure::k##name, Form::Form_, {buffer, count, type}, root, comm, GAPLESS_##FORM##_REQUEST,   \
                 native);                                                                                        \
  }
GAPLESS_ALL_FORMS(GAPLESS_BCAST, Bcast, Ibcast, Bcast_init)
#undef GAPLESS_BCAST

}  // namespace gapless::preload

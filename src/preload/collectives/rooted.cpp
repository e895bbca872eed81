// MPI_Gather, MPI_Scatter, in all forms.
#include "preload/collectives/refusal.hpp"
#include "preload/transfer/transfer.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

// Blocks go to the root or come from it. At the root there is a side of many blocks, everywhere one of a single block,
// which the root may leave where it is among the many (MPI_IN_PLACE).
template <class Native>
int rooted(bool gathers, Call call, const View& many, const View& single, int root, Native&& native) {
  const auto describe = [&](Collective& collective, Call& its) {
    const Members& all = its.members;
    if (root < 0 || root >= all.size) return Reason::kArguments;
    const bool is_root = all.rank == root, in_place = is_root && single.buffer == MPI_IN_PLACE;
    Blocks& of_root = gathers ? collective.received : collective.sent;
    Blocks& of_each = gathers ? collective.sent : collective.received;
    Reason reason = Reason::kNone;
    if (!in_place) reason = of_each.set_plain(single.buffer, single.count, single.type, 1, {gathers, !gathers});
    if (is_root && !in_place && reason == Reason::kNone && is_refused(single, many, root, of_each.block_bytes())) {
      return Reason::kArguments;
    }
    if (is_root && reason == Reason::kNone) {
      reason = of_root.set_plain(many.buffer, many.count, many.type, all.size, {!gathers, gathers}, root,
                                 {!gathers && !in_place, false});
      if (!in_place && reason == Reason::kNone) of_each.join(of_root);
    }
    its.max_bytes = both_ways(in_place ? of_root.block_bytes() : of_each.block_bytes(), all.size);
    return reason;
  };
  const auto changed = [&](Collective* collective, MPI_Request* made) {
    if (collective == nullptr) return native(many, single, made);
    const Blocks& of_root = gathers ? collective->received : collective->sent;
    const Blocks& of_each = gathers ? collective->sent : collective->received;
    return native(view(of_root, many), view(of_each, single), made);
  };
  const auto at_once = [&](const Call& its, int& code) {
    const Members& all = its.members;
    View of_root = many, of_each = single;
    if (root < 0 || root >= all.size || !rewrite_as_bytes(of_each, 1) ||
        !may_be_staged(both_ways(of_each.count, all.size)) ||
        (all.rank == root && !rewrite_as_bytes(of_root, all.size))) {
      return false;
    }
    if (all.rank == root && is_wrongly_refused(of_each, of_root, single, many, root)) return false;
    count_contiguous(its, of_each.count + (all.rank == root ? of_root.count * all.size : 0));
    code = native(of_root, of_each, nullptr);
    return true;
  };
  return perform(call, describe, changed, at_once);
}

}  // namespace

#define GAPLESS_GATHER(name, family, Count, FORM, Form_)                                                             \
  int wrap_##name(const void* out, Count out_count, MPI_Datatype out_type, void* in, Count in_count,                 \
                  MPI_Datatype in_type, int root, GAPLESS_##FORM##_PARAMETERS) {                                     \
    const auto native = [&](const View& r, const View& s, [[maybe_unused]] MPI_Request* made) {                      \
      void* const to = const_cast<void*>(r.buffer);                                                                  \
      if (is_large<Count> || s.count > INT_MAX || r.count > INT_MAX)                                                 \
        return mpi::library.family##_c(s.buffer, s.count, s.type, to, r.count, r.type, root,                         \
                                       GAPLESS_##FORM##_ARGUMENTS);                                                  \
      return mpi::library.family(s.buffer, static_cast<int>(s.count), s.type, to, static_cast<int>(r.count), r.type, \
                                 root, GAPLESS_##FORM##_ARGUMENTS);                                                  \
    };                                                                                                               \
    return rooted(true, {Procedure::k##name, Form::Form_, DecisionScope::kAll, comm, GAPLESS_##FORM##_REQUEST},      \
                  {in, in_count, in_type}, {out, out_count, out_type}, root, native);                                \
  }
GAPLESS_ALL_FORMS(GAPLESS_GATHER, Gather, Igather, Gather_init)
#undef GAPLESS_GATHER

#define GAPLESS_SCATTER(name, family, Count, FORM, Form_)                                                            \
  int wrap_##name(const void* out, Count out_count, MPI_Datatype out_type, void* in, Count in_count,                 \
                  MPI_Datatype in_type, int root, GAPLESS_##FORM##_PARAMETERS) {                                     \
    const auto native = [&](const View& s, const View& r, [[maybe_unused]] MPI_Request* made) {                      \
      void* const to = const_cast<void*>(r.buffer);                                                                  \
      if (is_large<Count> || s.count > INT_MAX || r.count > INT_MAX)                                                 \
        return mpi::library.family##_c(s.buffer, s.count, s.type, to, r.count, r.type, root,                         \
                                       GAPLESS_##FORM##_ARGUMENTS);                                                  \
      return mpi::library.family(s.buffer, static_cast<int>(s.count), s.type, to, static_cast<int>(r.count), r.type, \
                                 root, GAPLESS_##FORM##_ARGUMENTS);                                                  \
    };                                                                                                               \
    return rooted(false, {Procedure::k##name, Form::Form_, DecisionScope::kAll, comm, GAPLESS_##FORM##_REQUEST},     \
                  {out, out_count, out_type}, {in, in_count, in_type}, root, native);                                \
  }
GAPLESS_ALL_FORMS(GAPLESS_SCATTER, Scatter, Iscatter, Scatter_init)
#undef GAPLESS_SCATTER

}  // namespace gapless::preload

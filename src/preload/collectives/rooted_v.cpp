// MPI_Gatherv, MPI_Scatterv, in all forms. The root alone knows the sum of all blocks.
#include "preload/collectives/refusal.hpp"
#include "preload/transfer/transfer.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

template <class Count, class Native>
int rooted(bool gathers, Call call, const Views<Count, mpi::DisplacementOf<Count>>& many, const View& single, int root,
           Native&& native) {
  const auto describe = [&](Collective& collective, Call& its) {
    const Members& all = its.members;
    if (root < 0 || root >= all.size) return Reason::kArguments;
    const bool is_root = all.rank == root, in_place = is_root && single.buffer == MPI_IN_PLACE;
    Blocks& of_root = gathers ? collective.received : collective.sent;
    Blocks& of_each = gathers ? collective.sent : collective.received;
    if (!in_place) {
      const Reason reason = of_each.set_plain(single.buffer, single.count, single.type, 1, {gathers, !gathers});
      if (reason != Reason::kNone) return reason;
      if (!is_large<Count> && of_each.block_bytes() > INT_MAX) return Reason::kLarge;
    }
    if (!is_root) return Reason::kNone;
    if (!in_place && is_refused_at(many, root, single, of_each.block_bytes())) return Reason::kArguments;
    const Reason reason = of_root.set_v(many.buffer, all.size, many.counts, many.displacements, many.type,
                                        {!gathers, gathers}, root, {!gathers && !in_place, false});
    if (!in_place && reason == Reason::kNone) of_each.join(of_root);
    return reason;
  };
  const auto changed = [&](Collective* collective, MPI_Request* made) {
    if (collective == nullptr) return native(many, single, made);
    Blocks& of_root = gathers ? collective->received : collective->sent;
    const Blocks& of_each = gathers ? collective->sent : collective->received;
    return native(view(of_root, many), view(of_each, single), made);
  };
  return perform(call, describe, changed);
}

}  // namespace

#define GAPLESS_GATHERV(name, family, Count, FORM, Form_)                                                            \
  int wrap_##name(const void* out, Count out_count, MPI_Datatype out_type, void* in, const Count* in_counts,         \
                  const mpi::DisplacementOf<Count>* in_displacements, MPI_Datatype in_type, int root,                \
                  GAPLESS_##FORM##_PARAMETERS) {                                                                     \
    using Many = Views<Count, mpi::DisplacementOf<Count>>;                                                           \
    const auto native = [&](const Many& r, const View& s, [[maybe_unused]] MPI_Request* made) {                      \
      return mpi::library.name(s.buffer, static_cast<Count>(s.count), s.type, const_cast<void*>(r.buffer), r.counts, \
                               r.displacements, r.type, root, GAPLESS_##FORM##_ARGUMENTS);                           \
    };                                                                                                               \
    return rooted(true, {Procedure::k##name, Form::Form_, DecisionScope::kPairwise, comm, GAPLESS_##FORM##_REQUEST}, \
                  Many{in, in_counts, in_displacements, in_type}, {out, out_count, out_type}, root, native);         \
  }
GAPLESS_ALL_FORMS(GAPLESS_GATHERV, Gatherv, Igatherv, Gatherv_init)
#undef GAPLESS_GATHERV

#define GAPLESS_SCATTERV(name, family, Count, FORM, Form_)                                                            \
  int wrap_##name(const void* out, const Count* out_counts, const mpi::DisplacementOf<Count>* out_displacements,      \
                  MPI_Datatype out_type, void* in, Count in_count, MPI_Datatype in_type, int root,                    \
                  GAPLESS_##FORM##_PARAMETERS) {                                                                      \
    using Many = Views<Count, mpi::DisplacementOf<Count>>;                                                            \
    const auto native = [&](const Many& s, const View& r, [[maybe_unused]] MPI_Request* made) {                       \
      return mpi::library.name(s.buffer, s.counts, s.displacements, s.type, const_cast<void*>(r.buffer),              \
                               static_cast<Count>(r.count), r.type, root, GAPLESS_##FORM##_ARGUMENTS);                \
    };                                                                                                                \
    return rooted(false, {Procedure::k##name, Form::Form_, DecisionScope::kPairwise, comm, GAPLESS_##FORM##_REQUEST}, \
                  Many{out, out_counts, out_displacements, out_type}, {in, in_count, in_type}, root, native);         \
  }
GAPLESS_ALL_FORMS(GAPLESS_SCATTERV, Scatterv, Iscatterv, Scatterv_init)
#undef GAPLESS_SCATTERV

}  // namespace gapless::preload

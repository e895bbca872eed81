// The collectives without a root, over all processes or over a topology's neighbours.
#pragma once

#include "mpi/abi/library.hpp"
#include "preload/collectives/refusal.hpp"
#include "preload/transfer/transfer.hpp"

namespace gapless::preload {

// The number of blocks that go out and come in. Some of a Cartesian topology's neighbours are MPI_PROC_NULL, at the
// same indices among both: their blocks stay as they are.
struct Peers {
  static constexpr int kMaxAbsent = 64;
  int out = 0, in = 0;
  std::uint64_t absent = 0;  // a bit each
};
// Skips their blocks on a side that has a block for each peer.
inline void skip_absent(Blocks& blocks, const Peers& peers) noexcept {
  for (int k = 0; k < Peers::kMaxAbsent; ++k) {
    if ((peers.absent >> k & 1) != 0) blocks.skip(k);
  }
}
inline Reason set_plain(Blocks& blocks, const View& view, int n, Direction direction, const Peers& peers) noexcept {
  if (peers.absent == 0) return blocks.set_plain(view.buffer, view.count, view.type, n, direction);
  const Reason reason = blocks.set_plain_in_pieces(view.buffer, view.count, view.type, n, direction);
  if (reason == Reason::kNone) skip_absent(blocks, peers);
  return reason;
}

// Returns false if the communicator has no topology.
bool find_neighbours(const Call& call, Peers& peers) noexcept;

// The peers of a process: all of the communicator, or the neighbours of its topology.
enum class Among { kAll, kNeighbours };
inline Reason find_peers(Among among, const Call& call, Peers& peers) noexcept {
  peers = {call.members.size, call.members.size};
  return among == Among::kAll || find_neighbours(call, peers) ? Reason::kNone : Reason::kArguments;
}

// Allgather, Alltoall: as many bytes in each block. `same`: one block goes to all peers.
template <class Native>
int plain_exchange(Among among, bool same, Call call, const View& out, const View& in, Native&& native) {
  const auto describe = [&](Collective& collective, Call& its) {
    Peers peers;
    if (const Reason reason = find_peers(among, its, peers); reason != Reason::kNone) return reason;
    if (among == Among::kAll && out.buffer == MPI_IN_PLACE) {
      const Reason reason = same ? collective.received.set_plain(in.buffer, in.count, in.type, peers.in, {false, true},
                                                                 its.members.rank, {true, false})
                                 : collective.received.set_plain(in.buffer, in.count, in.type, peers.in, {true, true});
      its.max_bytes = both_ways(collective.received.block_bytes(), its.members.size);
      return reason;
    }
    const Reason reason = same ? collective.sent.set_plain(out.buffer, out.count, out.type, 1, {true, false})
                               : set_plain(collective.sent, out, peers.out, {true, false}, peers);
    if (reason != Reason::kNone) return reason;
    its.max_bytes = both_ways(collective.sent.block_bytes(), its.members.size);
    const Reason of_received = set_plain(collective.received, in, peers.in, {false, true}, peers);
    if (of_received != Reason::kNone || among != Among::kAll) return of_received;
    const int own = same ? its.members.rank : 0;
    const std::int64_t bytes = collective.sent.block_bytes();
    if (is_refused(out, in, own, bytes)) return Reason::kArguments;
    if (collective.sent.are_contiguous() && collective.received.are_contiguous() &&
        is_refused(view(collective.sent, out), view(collective.received, in), own, bytes)) {
      collective.sent.stage();
    }
    return Reason::kNone;
  };
  const auto changed = [&](Collective* collective, MPI_Request* made) {
    if (collective == nullptr) return native(out, in, made);
    return native(view(collective->sent, out), view(collective->received, in), made);
  };
  const auto at_once = [&](const Call& its, int& code) {
    View data_out = out, data_in = in;
    const int n = its.members.size;
    if (among != Among::kAll || !rewrite_as_bytes(data_out, same ? 1 : n) || !rewrite_as_bytes(data_in, n) ||
        !may_be_staged(both_ways(data_out.count, n))) {
      return false;
    }
    if (is_wrongly_refused(data_out, data_in, out, in, same ? its.members.rank : 0)) return false;
    count_contiguous(its, data_out.count * (same ? 1 : n) + data_in.count * n);
    code = native(data_out, data_in, nullptr);
    return true;
  };
  return perform(call, describe, changed, at_once);
}

// Allgatherv: every process knows the sizes of all blocks, so the sum is the same everywhere.
template <class Count, class Native>
int v_gather(Among among, Call call, const View& out, const Views<Count, mpi::DisplacementOf<Count>>& in,
             Native&& native) {
  const auto describe = [&](Collective& collective, Call& its) {
    Peers peers;
    if (const Reason reason = find_peers(among, its, peers); reason != Reason::kNone) return reason;
    const bool in_place = among == Among::kAll && out.buffer == MPI_IN_PLACE;
    const Reason reason =
        collective.received.set_v(in.buffer, peers.in, in.counts, in.displacements, in.type, {false, true},
                                  among == Among::kAll ? its.members.rank : -1, {in_place, false});
    its.max_bytes = both_ways(collective.received.bytes(), 1);
    if (reason == Reason::kNone) skip_absent(collective.received, peers);
    if (in_place || reason != Reason::kNone) return reason;
    const Reason own = collective.sent.set_plain(out.buffer, out.count, out.type, 1, {true, false});
    if (own == Reason::kNone && !is_large<Count> && collective.sent.block_bytes() > INT_MAX) return Reason::kLarge;
    if (own != Reason::kNone || among != Among::kAll) return own;
    if (is_refused_at(in, its.members.rank, out, collective.sent.block_bytes())) return Reason::kArguments;
    collective.sent.join(collective.received);
    return Reason::kNone;
  };
  const auto changed = [&](Collective* collective, MPI_Request* made) {
    if (collective == nullptr) return native(out, in, made);
    return native(view(collective->sent, out), view(collective->received, in), made);
  };
  return perform(call, describe, changed);
}

// Alltoallv.
template <class Count, class Native>
int v_exchange(Among among, Call call, const Views<Count, mpi::DisplacementOf<Count>>& out,
               const Views<Count, mpi::DisplacementOf<Count>>& in, Native&& native) {
  const auto describe = [&](Collective& collective, Call& its) {
    Peers peers;
    if (const Reason reason = find_peers(among, its, peers); reason != Reason::kNone) return reason;
    const bool in_place = among == Among::kAll && out.buffer == MPI_IN_PLACE;
    // An error that the library finds by comparing the arguments, and each process may leave to it.
    if (among == Among::kAll && out.buffer == in.buffer && out.type == in.type && out.counts == in.counts) {
      return Reason::kArguments;
    }
    const Reason reason =
        collective.received.set_v(in.buffer, peers.in, in.counts, in.displacements, in.type, {in_place, true});
    if (reason == Reason::kNone) skip_absent(collective.received, peers);
    if (in_place || reason != Reason::kNone) return reason;
    const Reason of_sent =
        collective.sent.set_v(out.buffer, peers.out, out.counts, out.displacements, out.type, {true, false});
    if (of_sent == Reason::kNone) skip_absent(collective.sent, peers);
    return of_sent;
  };
  const auto changed = [&](Collective* collective, MPI_Request* made) {
    if (collective == nullptr) return native(out, in, made);
    return native(view(collective->sent, out), view(collective->received, in), made);
  };
  return perform(call, describe, changed);
}

// Alltoallw: each process decides for itself, and for each of its sides separately.
template <class Count, class Displacement, class Native>
int w_exchange(Among among, Call call, const TypedViews<Count, Displacement>& out,
               const TypedViews<Count, Displacement>& in, Native&& native) {
  const auto judge = [](Blocks& blocks, Operation operation, Reason& reason) {
    if (!blocks.is_set()) return;
    if (!policy.force && blocks.are_contiguous()) return blocks.leave();
    if (!policy.force && !blocks.are_worth(policy, operation)) return reason = Reason::kSmall, blocks.leave();
  };
  const auto describe = [&](Collective& collective, Call& its) {
    Peers peers;
    if (const Reason reason = find_peers(among, its, peers); reason != Reason::kNone) return reason;
    const bool in_place = among == Among::kAll && out.buffer == MPI_IN_PLACE;
    if (among == Among::kAll && out.buffer == in.buffer && out.types == in.types && out.counts == in.counts) {
      return Reason::kArguments;
    }
    Blocks &sent = collective.sent, &received = collective.received;
    Reason reason = received.set_w(in.buffer, peers.in, in.counts, in.displacements, in.types, {in_place, true});
    if (!in_place && reason == Reason::kNone) {
      reason = sent.set_w(out.buffer, peers.out, out.counts, out.displacements, out.types, {true, false});
    }
    if (reason != Reason::kNone) return reason;
    skip_absent(received, peers);
    if (!in_place) skip_absent(sent, peers);
    // Not one side alone: of the block that a process sends to itself, MPICH 5.0.2 delivers only the beginning if one
    // end is contiguous and the other has a type too deep to decode (nonblocking, four processes or more).
    if (sent.needs_library() || received.needs_library()) return Reason::kCombiner;
    Reason left = Reason::kContiguous;
    const bool one_is_contiguous = received.are_contiguous() || (!in_place && sent.are_contiguous());
    const Operation operation = one_is_contiguous ? Operation::kExchangeReady : Operation::kExchange;
    judge(sent, operation, left);
    judge(received, operation, left);
    return sent.is_set() || received.is_set() ? Reason::kNone : left;
  };
  const auto changed = [&](Collective* collective, MPI_Request* made) {
    if (collective == nullptr) return native(out, in, made);
    return native(view(collective->sent, out), view(collective->received, in), made);
  };
  return perform(call, describe, changed);
}

}  // namespace gapless::preload

// Define the wrapper of one name for each.
#define GAPLESS_PLAIN_EXCHANGE(name, family, Count, FORM, Form_, among, scope, same)                                 \
  int wrap_##name(const void* out, Count out_count, MPI_Datatype out_type, void* in, Count in_count,                 \
                  MPI_Datatype in_type, GAPLESS_##FORM##_PARAMETERS) {                                               \
    const auto native = [&](const View& s, const View& r, [[maybe_unused]] MPI_Request* made) {                      \
      void* const to = const_cast<void*>(r.buffer);                                                                  \
      if (is_large<Count> || s.count > INT_MAX || r.count > INT_MAX)                                                 \
        return mpi::library.family##_c(s.buffer, s.count, s.type, to, r.count, r.type, GAPLESS_##FORM##_ARGUMENTS);  \
      return mpi::library.family(s.buffer, static_cast<int>(s.count), s.type, to, static_cast<int>(r.count), r.type, \
                                 GAPLESS_##FORM##_ARGUMENTS);                                                        \
    };                                                                                                               \
    return plain_exchange(among, same, {Procedure::k##name, Form::Form_, scope, comm, GAPLESS_##FORM##_REQUEST},     \
                          {out, out_count, out_type}, {in, in_count, in_type}, native);                              \
  }

#define GAPLESS_V_GATHER(name, Count, FORM, Form_, among, scope)                                                     \
  int wrap_##name(const void* out, Count out_count, MPI_Datatype out_type, void* in, const Count* in_counts,         \
                  const mpi::DisplacementOf<Count>* in_displacements, MPI_Datatype in_type,                          \
                  GAPLESS_##FORM##_PARAMETERS) {                                                                     \
    using Many = Views<Count, mpi::DisplacementOf<Count>>;                                                           \
    const auto native = [&](const View& s, const Many& r, [[maybe_unused]] MPI_Request* made) {                      \
      return mpi::library.name(s.buffer, static_cast<Count>(s.count), s.type, const_cast<void*>(r.buffer), r.counts, \
                               r.displacements, r.type, GAPLESS_##FORM##_ARGUMENTS);                                 \
    };                                                                                                               \
    return v_gather(among, {Procedure::k##name, Form::Form_, scope, comm, GAPLESS_##FORM##_REQUEST},                 \
                    {out, out_count, out_type}, Many{in, in_counts, in_displacements, in_type}, native);             \
  }

#define GAPLESS_V_EXCHANGE(name, Count, FORM, Form_, among)                                                          \
  int wrap_##name(const void* out, const Count* out_counts, const mpi::DisplacementOf<Count>* out_displacements,     \
                  MPI_Datatype out_type, void* in, const Count* in_counts,                                           \
                  const mpi::DisplacementOf<Count>* in_displacements, MPI_Datatype in_type,                          \
                  GAPLESS_##FORM##_PARAMETERS) {                                                                     \
    using Many = Views<Count, mpi::DisplacementOf<Count>>;                                                           \
    const auto native = [&](const Many& s, const Many& r, [[maybe_unused]] MPI_Request* made) {                      \
      return mpi::library.name(s.buffer, s.counts, s.displacements, s.type, const_cast<void*>(r.buffer), r.counts,   \
                               r.displacements, r.type, GAPLESS_##FORM##_ARGUMENTS);                                 \
    };                                                                                                               \
    return v_exchange(                                                                                               \
        among, {Procedure::k##name, Form::Form_, DecisionScope::kPairwise, comm, GAPLESS_##FORM##_REQUEST},          \
        Many{out, out_counts, out_displacements, out_type}, Many{in, in_counts, in_displacements, in_type}, native); \
  }

#define GAPLESS_W_EXCHANGE(name, Count, Displacement, FORM, Form_, among)                                              \
  int wrap_##name(const void* out, const Count* out_counts, const Displacement* out_displacements,                     \
                  const MPI_Datatype* out_types, void* in, const Count* in_counts,                                     \
                  const Displacement* in_displacements, const MPI_Datatype* in_types, GAPLESS_##FORM##_PARAMETERS) {   \
    using Many = TypedViews<Count, Displacement>;                                                                      \
    const auto native = [&](const Many& s, const Many& r, [[maybe_unused]] MPI_Request* made) {                        \
      return mpi::library.name(s.buffer, s.counts, s.displacements, s.types, const_cast<void*>(r.buffer), r.counts,    \
                               r.displacements, r.types, GAPLESS_##FORM##_ARGUMENTS);                                  \
    };                                                                                                                 \
    return w_exchange(among, {Procedure::k##name, Form::Form_, DecisionScope::kLocal, comm, GAPLESS_##FORM##_REQUEST}, \
                      Many{out, out_counts, out_displacements, out_types},                                             \
                      Many{in, in_counts, in_displacements, in_types}, native);                                        \
  }

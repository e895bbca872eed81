// The collectives without a root, over all processes or over a topology's neighbours.
#pragma once

#include "mpi/abi/library.hpp"
#include "preload/collectives/refusal.hpp"
#include "preload/transfer/transfer.hpp"

namespace gapless::preload {

// How many blocks go out and come in. Some of a Cartesian topology's neighbours are MPI_PROC_NULL, on both sides at the
// same places: their blocks stay as they are.
struct Peers {
  static constexpr int kMostAbsent = 64;
  int out = 0, in = 0;
  std::uint64_t absent = 0;  // a bit each
};
// Leaves them out of a side that has a block for each peer.
inline void spare_absent(Blocks& blocks, const Peers& peers) noexcept {
  for (int k = 0; k < Peers::kMostAbsent; ++k) {
    if ((peers.absent >> k & 1) != 0) blocks.spare(k);
  }
}
inline Reason uniform(Blocks& blocks, const View& view, int n, Way way, const Peers& peers) noexcept {
  if (peers.absent == 0) return blocks.uniform(view.buffer, view.count, view.type, n, way);
  const Reason reason = blocks.uniform_in_pieces(view.buffer, view.count, view.type, n, way);
  if (reason == Reason::kNone) spare_absent(blocks, peers);
  return reason;
}

// Of a communicator with a topology; none, and false, of another one.
bool find_neighbours(const Call& call, Peers& peers) noexcept;

// Whom a process exchanges blocks with, and so who decides.
enum class Among { kAll, kNeighbours };
inline Reason find_peers(Among among, const Call& call, Peers& peers) noexcept {
  peers = {call.members.size, call.members.size};
  return among == Among::kAll || find_neighbours(call, peers) ? Reason::kNone : Reason::kArguments;
}

// Allgather, Alltoall: as many bytes in each block. `same`: one block goes to everybody.
template <class Native>
int uniform_exchange(Among among, bool same, Call call, const View& out, const View& in, Native&& native) {
  const auto describe = [&](Collective& collective, Call& its) {
    Peers peers;
    if (const Reason reason = find_peers(among, its, peers); reason != Reason::kNone) return reason;
    if (among == Among::kAll && out.buffer == MPI_IN_PLACE) {
      const Reason reason = same ? collective.received.uniform(in.buffer, in.count, in.type, peers.in, {false, true},
                                                               its.members.rank, {true, false})
                                 : collective.received.uniform(in.buffer, in.count, in.type, peers.in, {true, true});
      its.max_bytes = both_ways(collective.received.block_bytes(), its.members.size);
      return reason;
    }
    const Reason reason = same ? collective.sent.uniform(out.buffer, out.count, out.type, 1, {true, false})
                               : uniform(collective.sent, out, peers.out, {true, false}, peers);
    if (reason != Reason::kNone) return reason;
    its.max_bytes = both_ways(collective.sent.block_bytes(), its.members.size);
    const Reason of_received = uniform(collective.received, in, peers.in, {false, true}, peers);
    if (of_received != Reason::kNone || among != Among::kAll) return of_received;
    const int own = same ? its.members.rank : 0;
    const std::int64_t bytes = collective.sent.block_bytes();
    if (is_refused(out, in, own, bytes)) return Reason::kArguments;
    if (collective.sent.lie_ready() && collective.received.lie_ready() &&
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
    if (among != Among::kAll || !say_in_bytes(data_out, same ? 1 : n) || !say_in_bytes(data_in, n) ||
        !may_be_staged(both_ways(data_out.count, n))) {
      return false;
    }
    if (is_wrongly_refused(data_out, data_in, out, in, same ? its.members.rank : 0)) return false;
    count_ready(its, data_out.count * (same ? 1 : n) + data_in.count * n);
    code = native(data_out, data_in, nullptr);
    return true;
  };
  return perform(call, describe, changed, at_once);
}

// Allgatherv: every process knows of all blocks how many bytes they have, so the sum is the same everywhere.
template <class Count, class Native>
int varying_gather(Among among, Call call, const View& out, const Views<Count, mpi::PlaceOf<Count>>& in,
                   Native&& native) {
  const auto describe = [&](Collective& collective, Call& its) {
    Peers peers;
    if (const Reason reason = find_peers(among, its, peers); reason != Reason::kNone) return reason;
    const bool in_place = among == Among::kAll && out.buffer == MPI_IN_PLACE;
    const Reason reason = collective.received.varying(in.buffer, peers.in, in.counts, in.places, in.type, {false, true},
                                                      among == Among::kAll ? its.members.rank : -1, {in_place, false});
    its.max_bytes = both_ways(collective.received.bytes(), 1);
    if (reason == Reason::kNone) spare_absent(collective.received, peers);
    if (in_place || reason != Reason::kNone) return reason;
    const Reason own = collective.sent.uniform(out.buffer, out.count, out.type, 1, {true, false});
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
int varying_exchange(Among among, Call call, const Views<Count, mpi::PlaceOf<Count>>& out,
                     const Views<Count, mpi::PlaceOf<Count>>& in, Native&& native) {
  const auto describe = [&](Collective& collective, Call& its) {
    Peers peers;
    if (const Reason reason = find_peers(among, its, peers); reason != Reason::kNone) return reason;
    const bool in_place = among == Among::kAll && out.buffer == MPI_IN_PLACE;
    // Which the library tells by the tables, and each process may leave to it.
    if (among == Among::kAll && out.buffer == in.buffer && out.type == in.type && out.counts == in.counts) {
      return Reason::kArguments;
    }
    const Reason reason =
        collective.received.varying(in.buffer, peers.in, in.counts, in.places, in.type, {in_place, true});
    if (reason == Reason::kNone) spare_absent(collective.received, peers);
    if (in_place || reason != Reason::kNone) return reason;
    const Reason of_sent =
        collective.sent.varying(out.buffer, peers.out, out.counts, out.places, out.type, {true, false});
    if (of_sent == Reason::kNone) spare_absent(collective.sent, peers);
    return of_sent;
  };
  const auto changed = [&](Collective* collective, MPI_Request* made) {
    if (collective == nullptr) return native(out, in, made);
    return native(view(collective->sent, out), view(collective->received, in), made);
  };
  return perform(call, describe, changed);
}

// Alltoallw: each process decides for itself, for either of its sides.
template <class Count, class Place, class Native>
int individual_exchange(Among among, Call call, const TypedViews<Count, Place>& out, const TypedViews<Count, Place>& in,
                        Native&& native) {
  const auto judge = [](Blocks& blocks, Operation operation, Reason& reason) {
    if (!blocks.is_set()) return;
    if (!policy.force && blocks.lie_ready()) return blocks.leave();
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
    Reason reason = received.individual(in.buffer, peers.in, in.counts, in.places, in.types, {in_place, true});
    if (!in_place && reason == Reason::kNone) {
      reason = sent.individual(out.buffer, peers.out, out.counts, out.places, out.types, {true, false});
    }
    if (reason != Reason::kNone) return reason;
    spare_absent(received, peers);
    if (!in_place) spare_absent(sent, peers);
    // Not one side alone: of what a process gives to itself, MPICH 5.0.2 delivers the beginning where the one end is
    // contiguous and the other a type too deep for us (nonblocking, four processes or more).
    if (sent.needs_library() || received.needs_library()) return Reason::kCombiner;
    Reason left = Reason::kContiguous;
    const bool one_is_ready = received.lie_ready() || (!in_place && sent.lie_ready());
    const Operation operation = one_is_ready ? Operation::kExchangeReady : Operation::kExchange;
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

// The wrappers of each, for one name.
#define GAPLESS_UNIFORM(name, family, Count, FORM, Form_, among, decides, same)                                      \
  int wrap_##name(const void* out, Count out_count, MPI_Datatype out_type, void* in, Count in_count,                 \
                  MPI_Datatype in_type, GAPLESS_##FORM##_PARAMETERS) {                                               \
    const auto native = [&](const View& s, const View& r, [[maybe_unused]] MPI_Request* made) {                      \
      void* const to = const_cast<void*>(r.buffer);                                                                  \
      if (is_large<Count> || s.count > INT_MAX || r.count > INT_MAX)                                                 \
        return mpi::library.family##_c(s.buffer, s.count, s.type, to, r.count, r.type, GAPLESS_##FORM##_ARGUMENTS);  \
      return mpi::library.family(s.buffer, static_cast<int>(s.count), s.type, to, static_cast<int>(r.count), r.type, \
                                 GAPLESS_##FORM##_ARGUMENTS);                                                        \
    };                                                                                                               \
    return uniform_exchange(among, same, {Procedure::k##name, Form::Form_, decides, comm, GAPLESS_##FORM##_REQUEST}, \
                            {out, out_count, out_type}, {in, in_count, in_type}, native);                            \
  }

#define GAPLESS_VARYING_GATHER(name, Count, FORM, Form_, among, decides)                                             \
  int wrap_##name(const void* out, Count out_count, MPI_Datatype out_type, void* in, const Count* in_counts,         \
                  const mpi::PlaceOf<Count>* in_places, MPI_Datatype in_type, GAPLESS_##FORM##_PARAMETERS) {         \
    using Many = Views<Count, mpi::PlaceOf<Count>>;                                                                  \
    const auto native = [&](const View& s, const Many& r, [[maybe_unused]] MPI_Request* made) {                      \
      return mpi::library.name(s.buffer, static_cast<Count>(s.count), s.type, const_cast<void*>(r.buffer), r.counts, \
                               r.places, r.type, GAPLESS_##FORM##_ARGUMENTS);                                        \
    };                                                                                                               \
    return varying_gather(among, {Procedure::k##name, Form::Form_, decides, comm, GAPLESS_##FORM##_REQUEST},         \
                          {out, out_count, out_type}, Many{in, in_counts, in_places, in_type}, native);              \
  }

#define GAPLESS_VARYING(name, Count, FORM, Form_, among)                                                               \
  int wrap_##name(const void* out, const Count* out_counts, const mpi::PlaceOf<Count>* out_places,                     \
                  MPI_Datatype out_type, void* in, const Count* in_counts, const mpi::PlaceOf<Count>* in_places,       \
                  MPI_Datatype in_type, GAPLESS_##FORM##_PARAMETERS) {                                                 \
    using Many = Views<Count, mpi::PlaceOf<Count>>;                                                                    \
    const auto native = [&](const Many& s, const Many& r, [[maybe_unused]] MPI_Request* made) {                        \
      return mpi::library.name(s.buffer, s.counts, s.places, s.type, const_cast<void*>(r.buffer), r.counts, r.places,  \
                               r.type, GAPLESS_##FORM##_ARGUMENTS);                                                    \
    };                                                                                                                 \
    return varying_exchange(among, {Procedure::k##name, Form::Form_, Decides::kPairs, comm, GAPLESS_##FORM##_REQUEST}, \
                            Many{out, out_counts, out_places, out_type}, Many{in, in_counts, in_places, in_type},      \
                            native);                                                                                   \
  }

#define GAPLESS_INDIVIDUAL(name, Count, Place, FORM, Form_, among)                                                     \
  int wrap_##name(const void* out, const Count* out_counts, const Place* out_places, const MPI_Datatype* out_types,    \
                  void* in, const Count* in_counts, const Place* in_places, const MPI_Datatype* in_types,              \
                  GAPLESS_##FORM##_PARAMETERS) {                                                                       \
    using Many = TypedViews<Count, Place>;                                                                             \
    const auto native = [&](const Many& s, const Many& r, [[maybe_unused]] MPI_Request* made) {                        \
      return mpi::library.name(s.buffer, s.counts, s.places, s.types, const_cast<void*>(r.buffer), r.counts, r.places, \
                               r.types, GAPLESS_##FORM##_ARGUMENTS);                                                   \
    };                                                                                                                 \
    return individual_exchange(                                                                                        \
        among, {Procedure::k##name, Form::Form_, Decides::kEach, comm, GAPLESS_##FORM##_REQUEST},                      \
        Many{out, out_counts, out_places, out_types}, Many{in, in_counts, in_places, in_types}, native);               \
  }

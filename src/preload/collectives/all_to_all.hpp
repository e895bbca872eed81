// The collectives without a root, over all processes or over a topology's neighbours.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "preload/collectives/forms.hpp"
#include "preload/collectives/own_alltoall.hpp"
#include "preload/collectives/pairing.hpp"
#include "preload/collectives/plain_side.hpp"
#include "preload/collectives/refusal.hpp"

namespace gapless::preload {

// The number of blocks that go out and come in. Some of a Cartesian topology's neighbours are MPI_PROC_NULL, at the
// same indices among both: their blocks stay as they are.
struct Peers {
  static constexpr int kMaxAbsent = 64;
  int out = 0, in = 0;
  std::uint64_t absent = 0;  // a bit each
};

// Returns false if the communicator has no topology.
bool find_neighbours(const Call& call, Peers& peers) noexcept;
// Finds the members at the ends of all blocks. May throw bad_alloc.
bool find_neighbour_ends(const Call& call, const Peers& peers, Ends& ends);

// The peers of a process: all of the communicator, or the neighbours of its topology.
enum class Among { kAll, kNeighbours };
inline bool find_peers(Among among, const Call& call, Peers& peers) noexcept {
  peers = {call.members.size, call.members.size};
  return among == Among::kAll || find_neighbours(call, peers);
}

// nullptr without memory.
inline const Ends* find_ends(Among among, const Call& call, const Peers& peers) noexcept {
  Ends& ends = among == Among::kAll ? call.members.near->all : call.members.near->neighbours;
  if (ends.known) return &ends;
  try {
    if (among == Among::kAll) {
      ends.targets.resize(static_cast<std::size_t>(peers.out));
      std::iota(ends.targets.begin(), ends.targets.end(), 0);
      ends.sources = ends.targets;
    } else if (!find_neighbour_ends(call, peers, ends)) {
      return nullptr;
    }
    ends.targets_met = meetings(ends.targets, call.members.size);
    ends.sources_met = meetings(ends.sources, call.members.size);
  } catch (...) {
    return nullptr;
  }
  ends.known = true;
  return &ends;
}

// Pairs what can be paired of a v- or w-call that is described; `pair`: pair_blocks, or pair_for_all with the same
// arguments. Returns false with the collective's error.
template <class Pair>
bool pair_among(Among among, const Call& call, const Peers& peers, Collective& collective, Pair&& pair) noexcept {
  if (!may_pair(call, collective, Traffic::kExchange)) return true;
  if (const Ends* const ends = find_ends(among, call, peers); ends != nullptr) {
    return pair(*ends, among == Among::kNeighbours ? largest_between_neighbours() : INT64_MAX);
  }
  collective.error = MPI_ERR_NO_MEM;
  return false;
}
inline bool pair_each(Among among, const Call& call, const Peers& peers, Collective& collective) noexcept {
  return pair_among(among, call, peers, collective, [&](const Ends& ends, std::int64_t largest) {
    return pair_blocks(call, collective, ends, Traffic::kExchange, largest);
  });
}

// Of a nonblocking v- or w-call, before it is described: some of its blocks may come as messages, and go. `typed`: a
// w-call.
inline bool begin_messages(Among among, const Call& call, const Peers& peers, bool typed,
                           Collective& collective) noexcept {
  if (!may_meet_headers(call)) return false;
  if (completion_looked_up()) refuse(Refusal::kCompletion);
  const bool sends = call.members.near != nullptr && (typed || among == Among::kNeighbours || are_blocks_messages());
  const Ends* const ends = sends ? find_ends(among, call, peers) : nullptr;
  if (ends == nullptr) {
    collective.messages.emplace(call.procedure, nullptr, std::span<const int>());
  } else {
    collective.messages.emplace(call.procedure, call.members.numbers, ends->targets);
  }
  return true;
}
// When it is described: which blocks go as such, and whether those that come are looked at. `reason`: not to change
// anything else, or kNone.
Reason decide_messages(Collective& collective, Reason reason) noexcept;

// The directions of a side that has a block for each peer.
inline Directions to_all(const Peers& peers) noexcept {
  return {.most = kOut, .absent = peers.absent};
}
inline Directions from_all(const Peers& peers) noexcept {
  return {.most = kIn, .absent = peers.absent};
}

// What a process sends to all: one block, which may lie where it is to be received, or one for each.
enum class Sent { kInPlace, kOneForAll, kOneForEach };

// Pairs all of a call that is described, or nothing; returns true if all. `bytes`: of the mean block, the same on every
// process.
inline bool pair_whole(Call& call, Collective& collective, std::int64_t bytes, Sent sent) noexcept {
  if (!asks_to_exchange(call, bytes)) {
    if (call.asks.has_value()) note_wish(collective);
    return false;
  }
  prepare_blocks(call);
  const int n = call.members.size;
  std::vector<Piece>&out = collective.blocks_out, &in = collective.blocks_in;
  const bool room =
      list_blocks(collective.received.blocks(), n, in) &&
      (sent == Sent::kInPlace || list_blocks(collective.sent.blocks(), sent == Sent::kOneForAll ? 1 : n, out));
  if (!room) collective.error = MPI_ERR_NO_MEM;
  const auto own = static_cast<std::size_t>(call.members.rank);
  return room &&
         pair_all(call, collective, sent == Sent::kInPlace ? std::span(in).subspan(own, 1) : std::span(out), in);
}

// Allgather, Alltoall: as many bytes in each block. `same`: one block goes to all peers.
template <class Native>
int plain_exchange(Among among, bool same, Call call, const View& out, const View& in, Native&& native) {
  call.scope = among == Among::kAll ? DecisionScope::kAll : DecisionScope::kPairwise;
  const bool may_be_own = among == Among::kAll && !same;
  if (int code; may_be_own && call.form == Form::kPersistent && make_own_alltoall(call, out, in, code)) return code;
  const auto describe = [&](Collective& collective) {
    Side &sent = collective.sent, &received = collective.received;
    Peers peers;
    if (!find_peers(among, call, peers)) return Reason::kArguments;
    const int rank = call.members.rank;
    if (among == Among::kAll && out.buffer == MPI_IN_PLACE) {
      const Directions in_place = same ? Directions{kIn, rank, kOut} : Directions{kOutAndIn};
      const Reason reason = received.describe(in, peers.in, in_place);
      const std::int64_t bytes_in = received.blocks().block_bytes();
      call.max_bytes = both_ways(bytes_in, call.members.size);
      if (reason == Reason::kNone && same) pair_whole(call, collective, bytes_in, Sent::kInPlace);
      return reason;
    }
    Reason reason = same ? sent.describe(out, 1, {kOut}) : sent.describe(out, peers.out, to_all(peers));
    if (reason != Reason::kNone) return reason;
    const std::int64_t bytes = sent.blocks().block_bytes();
    call.max_bytes = both_ways(bytes, call.members.size);
    reason = received.describe(in, peers.in, from_all(peers));
    if (reason != Reason::kNone || among != Among::kAll) return reason;
    const int own = same ? rank : 0;
    if (is_refused(out, in, own, bytes)) return Reason::kArguments;
    if (pair_whole(call, collective, bytes, same ? Sent::kOneForAll : Sent::kOneForEach)) return Reason::kNone;
    if (!sent.is_packed() && !received.is_packed() && is_refused(sent.view(out), received.view(in), own, bytes)) {
      sent.stage();
    }
    return Reason::kNone;
  };
  const auto at_once = [&](int& code) {
    if (may_be_own && run_own_alltoall(call, out, in, code)) return true;
    View data_out = out, data_in = in;
    const int n = call.members.size;
    if (among != Among::kAll || !rewrite_as_bytes(data_out, same ? 1 : n) || !rewrite_as_bytes(data_in, n) ||
        asks_to_exchange(call, data_out.count) || !may_be_staged(both_ways(data_out.count, n)) ||
        is_wrongly_refused(data_out, data_in, out, in, same ? call.members.rank : 0)) {
      return false;
    }
    count_contiguous(call, data_out.count * (same ? 1 : n) + data_in.count * n);
    code = native(data_out, data_in, nullptr);
    return true;
  };
  return perform(call, out, in, describe, native, at_once);
}

// Allgatherv: every process knows the sizes of all blocks, so the sum is the same everywhere.
template <class In, class Native>
int v_gather(Call call, const View& out, const In& in, Native&& native) {
  call.scope = DecisionScope::kAll;
  const auto describe = [&](Collective& collective) {
    Side &sent = collective.sent, &received = collective.received;
    const int n = call.members.size, rank = call.members.rank;
    const bool in_place = out.buffer == MPI_IN_PLACE;
    // They are as many on every process; that they fit is decided before they are reserved.
    const std::int64_t tables = Blocks::table_bytes(n);
    if (!may_be_staged(tables)) return Reason::kLarge;
    Reason reason = received.describe(in, n, {kIn, rank, in_place ? kOut : kIn});
    call.max_bytes = both_ways(received.blocks().bytes(), 1, tables);
    if (reason != Reason::kNone) return reason;
    const std::int64_t mean_bytes = received.blocks().bytes() / n;
    if (in_place) {
      pair_whole(call, collective, mean_bytes, Sent::kInPlace);
      return reason;
    }
    reason = sent.describe(out, 1, {kOut});
    const std::int64_t bytes = sent.blocks().block_bytes();
    if (reason == Reason::kNone && bytes > max_block_bytes(in)) return Reason::kLarge;
    if (reason != Reason::kNone) return reason;
    if (is_refused(out, in, rank, bytes)) return Reason::kArguments;
    if (pair_whole(call, collective, mean_bytes, Sent::kOneForAll)) return Reason::kNone;
    // Its own block it leaves to the library, which copies it when its messages are on their way.
    if (!sent.is_packed() && !received.is_packed() && is_refused(sent.view(out), received.view(in), rank, bytes)) {
      sent.stage();
    }
    return Reason::kNone;
  };
  const auto at_once = [&](int& code) {
    View data_out = out;
    FewAsBytes<In> data_in(in, call.members.size);
    if (!rewrite_as_bytes(data_out, 1) || !data_in.are() ||
        data_out.count != data_in.view().counts[call.members.rank] ||
        is_refused(out, in, call.members.rank, data_out.count) ||
        is_refused(data_out, data_in.view(), call.members.rank, data_out.count)) {
      return false;
    }
    const std::int64_t tables = Blocks::table_bytes(call.members.size);
    if (!may_be_staged(both_ways(data_in.bytes(), 1, tables)) ||
        asks_to_exchange(call, data_in.bytes() / call.members.size)) {
      return false;
    }
    count_contiguous(call, data_out.count + data_in.bytes());
    code = native(data_out, data_in.view(), nullptr);
    return true;
  };
  return perform(call, out, in, describe, native, at_once);
}

// An error that the library finds by comparing the arguments, and each process may leave to it. One that has nothing to
// send or receive, or has other displacements, may give the same lists for both where the library allows it.
template <class Many>
bool is_same(const Many& out, const Many& in) noexcept {
  return out.buffer == in.buffer && out.types == in.types && out.counts == in.counts;
}

// Of a v- or w-call: the communicator gets its channel, whatever becomes of the arguments; and the call goes as the
// program gave it if it is one among all with plain sides.
template <class Many, class Native>
bool exchange_at_once(Among among, const Call& call, const Many& out, const Many& in, Native&& native, int& code) {
  const bool in_place = among == Among::kAll && out.buffer == MPI_IN_PLACE;
  if (!in_place) prepare_blocks(call);
  return among == Among::kAll && !in_place && exchange_plain(call, out, in, native, code);
}

// Of a v-side, which is described also where it has more bytes than the procedure can count; and the reason of two.
inline bool is_described(Reason reason) noexcept {
  return reason == Reason::kNone || reason == Reason::kLarge;
}
inline Reason worse(Reason one, Reason other) noexcept {
  return one == Reason::kNone || !is_described(other) ? other : one;
}

// Alltoallv.
template <class Many, class Native>
int v_exchange(Among among, Call call, const Many& out, const Many& in, Native&& native) {
  call.scope = DecisionScope::kPairwise;
  call.may_bring_messages = call.form == Form::kNonblocking;
  if constexpr (!kIsTyped<Many>) {
    const bool may_be_own = among == Among::kAll && call.form == Form::kPersistent;
    if (int code; may_be_own && make_own_alltoallv(call, out, in, code)) return code;
  }
  const auto describe = [&](Collective& collective) {
    Peers peers;
    if (!find_peers(among, call, peers)) return Reason::kArguments;
    const bool in_place = among == Among::kAll && out.buffer == MPI_IN_PLACE;
    if (among == Among::kAll && is_same(out, in) && refuses_aliases()) return Reason::kArguments;
    Side &sent = collective.sent, &received = collective.received;
    const bool looks = !in_place && begin_messages(among, call, peers, false, collective);
    if (!looks && call.only_looks != Reason::kNone) return call.only_looks;
    Reason reason = received.describe(in, peers.in, in_place ? Directions{kOutAndIn} : from_all(peers));
    if (!in_place && is_described(reason)) reason = worse(reason, sent.describe(out, peers.out, to_all(peers)));
    if (looks) {
      const bool only_looks = call.only_looks != Reason::kNone && is_described(reason);
      return decide_messages(collective, only_looks ? call.only_looks : reason);
    }
    if (in_place || !is_described(reason)) return reason;
    if (!pair_each(among, call, peers, collective) || !collective.is_exchanged()) return reason;
    if (reason == Reason::kLarge) {
      sent.leave();
      received.leave();
    }
    return Reason::kNone;
  };
  const auto at_once = [&](int& code) { return exchange_at_once(among, call, out, in, native, code); };
  return perform(call, out, in, describe, native, at_once);
}

// Of the blocks of a w-call that are left to the library: each side is rewritten if that is worth while.
inline Reason decide_rest(Collective& collective, bool in_place) noexcept {
  Side &sent = collective.sent, &received = collective.received;
  // Not one side alone: of the block that a process sends to itself, MPICH 5.0.2 delivers only the beginning if one
  // end is contiguous and the other has a type too deep to decode (nonblocking, four processes or more).
  if (sent.blocks().needs_library() || received.blocks().needs_library()) return Reason::kCombiner;
  if (policy.force) return Reason::kNone;
  const bool one_is_contiguous = received.blocks().are_contiguous() || (!in_place && sent.blocks().are_contiguous());
  const Operation operation = one_is_contiguous ? Operation::kExchangeReady : Operation::kExchange;
  Reason reason = Reason::kContiguous;
  for (Side* const side : {&sent, &received}) {
    if (!side->is_rewritten() || side->is_worth(operation)) continue;
    if (side->is_packed()) reason = Reason::kSmall;
    side->leave();
  }
  return sent.is_rewritten() || received.is_rewritten() ? Reason::kNone : reason;
}

// Alltoallw: each process decides for itself, and for each of its sides separately.
template <class Many, class Native>
int w_exchange(Among among, Call call, const Many& out, const Many& in, Native&& native) {
  call.scope = DecisionScope::kLocal;
  call.may_bring_messages = call.form == Form::kNonblocking;
  const auto describe = [&](Collective& collective) {
    Side &sent = collective.sent, &received = collective.received;
    Peers peers;
    if (!find_peers(among, call, peers)) return Reason::kArguments;
    const bool in_place = among == Among::kAll && out.buffer == MPI_IN_PLACE;
    if (among == Among::kAll && is_same(out, in) && refuses_aliases()) return Reason::kArguments;
    const bool looks = !in_place && begin_messages(among, call, peers, true, collective);
    Reason reason = received.describe(in, peers.in, in_place ? Directions{kOutAndIn} : from_all(peers));
    if (!in_place && is_described(reason)) reason = worse(reason, sent.describe(out, peers.out, to_all(peers)));
    if (!in_place && is_described(reason) && !pair_each(among, call, peers, collective)) return reason;
    const bool exchanged = collective.is_exchanged();
    if (reason == Reason::kNone && !switched_on()) reason = Reason::kOff;
    if (reason == Reason::kNone) reason = decide_rest(collective, in_place);
    if (looks) return decide_messages(collective, reason);
    if (!exchanged || reason == Reason::kNone) return reason;
    sent.leave();
    received.leave();
    return Reason::kNone;
  };
  const auto at_once = [&](int& code) { return exchange_at_once(among, call, out, in, native, code); };
  return perform(call, out, in, describe, native, at_once);
}

}  // namespace gapless::preload

// MPI_Neighbor_allgather(v), MPI_Neighbor_alltoall(v, w), in all forms. Blocks go from neighbour to neighbour, and each
// process has its own number of neighbours.
#include <algorithm>
#include <climits>
#include <vector>

#include "preload/collectives/all_to_all.hpp"

namespace gapless::preload {

bool find_neighbours(const Call& call, Peers& peers) noexcept {
  int topology = MPI_UNDEFINED, n = 0;
  if (mpi::library.Topo_test(call.comm, &topology) != MPI_SUCCESS) return false;
  switch (topology) {
    case MPI_CART:
      if (mpi::library.Cartdim_get(call.comm, &n) != MPI_SUCCESS) return false;
      if (2 * n > Peers::kMaxAbsent) return false;
      peers = {2 * n, 2 * n};
      for (int k = 0; k < n; ++k) {
        int before = 0, behind = 0;
        if (mpi::library.Cart_shift(call.comm, k, 1, &before, &behind) != MPI_SUCCESS) return false;
        if (before == MPI_PROC_NULL) peers.absent |= std::uint64_t{1} << (2 * k);
        if (behind == MPI_PROC_NULL) peers.absent |= std::uint64_t{2} << (2 * k);
      }
      return true;
    case MPI_GRAPH:
      if (mpi::library.Graph_neighbors_count(call.comm, call.members.rank, &n) != MPI_SUCCESS) return false;
      peers = {n, n};
      return true;
    case MPI_DIST_GRAPH:
      return mpi::library.Dist_graph_neighbors_count(call.comm, &peers.in, &peers.out, &n) == MPI_SUCCESS;
    default:
      return false;
  }
}

bool find_neighbour_ends(const Call& call, const Peers& peers, Ends& ends) {
  int topology = MPI_UNDEFINED;
  mpi::library.Topo_test(call.comm, &topology);
  ends.targets.resize(static_cast<std::size_t>(peers.out));
  ends.sources.resize(static_cast<std::size_t>(peers.in));
  if (topology == MPI_DIST_GRAPH) {
    std::vector<int> weights(static_cast<std::size_t>(std::max(peers.in, peers.out)) + 1);
    return mpi::library.Dist_graph_neighbors(call.comm, peers.in, ends.sources.data(), weights.data(), peers.out,
                                             ends.targets.data(), weights.data()) == MPI_SUCCESS;
  }
  if (topology == MPI_GRAPH) {
    const int code = mpi::library.Graph_neighbors(call.comm, call.members.rank, peers.out, ends.targets.data());
    ends.sources = ends.targets;
    return code == MPI_SUCCESS;
  }
  for (std::size_t k = 0; k < ends.targets.size(); k += 2) {
    mpi::library.Cart_shift(call.comm, static_cast<int>(k / 2), 1, &ends.targets[k], &ends.targets[k + 1]);
  }
  ends.sources = ends.targets;
  return true;
}

namespace {

// A block that the library cannot count is not described where it is alone, and so is paired nowhere.
bool pair_one_for_all(const Call& call, const Peers& peers, Collective& collective) noexcept {
  return pair_among(Among::kNeighbours, call, peers, collective, [&](const Ends& ends, std::int64_t largest) {
    return pair_for_all(call, collective, ends, std::min(largest, largest_message()));
  });
}

// MPI_Neighbor_allgatherv. Of each block its sender and its receivers know the size.
template <class In, class Native>
int gather_from_neighbours(Call call, const View& out, const In& in, Native&& native) {
  call.scope = DecisionScope::kPairwise;
  const auto describe = [&](Collective& collective) {
    Side &sent = collective.sent, &received = collective.received;
    Peers peers;
    if (!find_neighbours(call, peers)) return Reason::kArguments;
    prepare_blocks(call);
    Reason reason = received.describe(in, peers.in, from_all(peers));
    if (reason != Reason::kNone && reason != Reason::kLarge) return reason;
    const Reason of_sent = sent.describe(out, 1, {kOut});
    if (of_sent != Reason::kNone && of_sent != Reason::kLarge) return of_sent;
    if (reason == Reason::kNone) reason = of_sent;
    if (sent.blocks().block_bytes() > max_block_bytes(in)) reason = Reason::kLarge;
    const bool is_exchanged = pair_one_for_all(call, peers, collective) && collective.is_exchanged();
    if (!is_exchanged || reason == Reason::kNone) return reason;
    collective.leave();
    return Reason::kNone;
  };
  return perform(call, out, in, describe, native);
}

// A side of equal blocks as MPI_Neighbor_alltoallw takes it, which can be told for each block that there is nothing.
template <class Count>
class EqualBlocks {
 public:
  // `apart` [bytes]: from block to block. May throw bad_alloc.
  EqualBlocks(int n, MPI_Aint apart)
      : counts_(static_cast<std::size_t>(n) + 1), displacements_(counts_.size()), types_(counts_.size()) {
    for (std::size_t k = 0; k < counts_.size(); ++k) displacements_[k] = static_cast<MPI_Aint>(k) * apart;
  }
  Views<Count, MPI_Aint, const MPI_Datatype*> of(const View& given) noexcept {
    std::fill(counts_.begin(), counts_.end(), static_cast<Count>(given.count));
    std::fill(types_.begin(), types_.end(), given.type);
    return {given.buffer, counts_.data(), displacements_.data(), types_.data()};
  }

 private:
  std::vector<Count> counts_;
  std::vector<MPI_Aint> displacements_;
  std::vector<MPI_Datatype> types_;
};

// The extent and the size [bytes] of a block that the library will not refuse.
struct Block {
  MPI_Aint extent;
  std::int64_t bytes;
};
bool measure(const View& given, Block& block) noexcept {
  Elements elements;
  if (given.count < 0 || given.buffer == MPI_IN_PLACE) return false;
  if (elements.read(given.type, false) != Reason::kNone) return false;
  if (__builtin_mul_overflow(given.count, elements.size, &block.bytes) || block.bytes > largest_message() ||
      __builtin_mul_overflow(given.count, elements.extent, &block.extent)) {
    return false;
  }
  const std::int64_t first = elements.plan == nullptr ? 0 : elements.plan->first_byte();
  return block.bytes == 0 || elements.plan == nullptr ||
         reinterpret_cast<std::intptr_t>(moved(static_cast<const char*>(given.buffer), first)) >= kLowestAddress;
}

// A plain call as what it is block by block. `same`: one block goes to all.
template <class Count>
int exchange_each(bool same, const Call& call, const Peers& peers, const View& out, const Block& sent, const View& in,
                  const Block& received) {
  EqualBlocks<Count> all_sent(peers.out, same ? 0 : sent.extent), all_received(peers.in, received.extent);
  const auto native = [&](const auto& s, const auto& r, MPI_Request*) {
    if constexpr (is_large<Count>) {
      return mpi::library.Neighbor_alltoallw_c(GAPLESS_MANY_ARGUMENTS(s), GAPLESS_MANY_ARGUMENTS(r), call.comm);
    } else {
      return mpi::library.Neighbor_alltoallw(GAPLESS_MANY_ARGUMENTS(s), GAPLESS_MANY_ARGUMENTS(r), call.comm);
    }
  };
  if (!same) return v_exchange(Among::kNeighbours, call, all_sent.of(out), all_received.of(in), native);
  const auto gathered = [&](const View& s, const auto& r, MPI_Request*) { return native(all_sent.of(s), r, nullptr); };
  return gather_from_neighbours(call, out, all_received.of(in), gathered);
}

// MPI_Neighbor_allgather, MPI_Neighbor_alltoall. Where neighbours are so both ways, the greater of what a process sends
// and receives is the same for all that are connected: so all go block by block, or none does. Between the two
// procedures no message passes in Open MPI.
template <class Native>
int equal_exchange(bool same, Call call, const View& out, const View& in, Native&& native) {
  call.scope = DecisionScope::kPairwise;
  Peers peers;
  Block sent, received;
  const bool may = call.form == Form::kBlocking && reason_not_to_convert(call) == Reason::kNone && may_exchange(call);
  if (may) prepare_blocks(call);
  if (may && call.members.near->channel != nullptr && call.members.near->both_ways && measure(out, sent) &&
      measure(in, received) && std::max(sent.bytes, received.bytes) >= smallest_paired(Traffic::kExchange) &&
      find_neighbours(call, peers)) {
    try {
      return out.count > INT_MAX || in.count > INT_MAX
                 ? exchange_each<MPI_Count>(same, call, peers, out, sent, in, received)
                 : exchange_each<int>(same, call, peers, out, sent, in, received);
    } catch (...) {
      return raise_error(MPI_ERR_NO_MEM, call.comm);
    }
  }
  return plain_exchange(Among::kNeighbours, same, call, out, in, native);
}

}  // namespace

GAPLESS_FORMS(GAPLESS_PLAIN_COLLECTIVE, Neighbor_allgather, Ineighbor_allgather, Neighbor_allgather_init, ROOTLESS,
              equal_exchange, true)
GAPLESS_FORMS(GAPLESS_PLAIN_COLLECTIVE, Neighbor_alltoall, Ineighbor_alltoall, Neighbor_alltoall_init, ROOTLESS,
              equal_exchange, false)
GAPLESS_FORMS(GAPLESS_V_COLLECTIVE, Neighbor_allgatherv, Ineighbor_allgatherv, Neighbor_allgatherv_init, PLAIN, V,
              ROOTLESS, gather_from_neighbours)
GAPLESS_FORMS(GAPLESS_V_COLLECTIVE, Neighbor_alltoallv, Ineighbor_alltoallv, Neighbor_alltoallv_init, V, V, ROOTLESS,
              v_exchange, Among::kNeighbours)
GAPLESS_FORMS(GAPLESS_V_COLLECTIVE, Neighbor_alltoallw, Ineighbor_alltoallw, Neighbor_alltoallw_init, NEIGHBOR_W,
              NEIGHBOR_W, ROOTLESS, w_exchange, Among::kNeighbours)

}  // namespace gapless::preload

// MPI_Neighbor_allgather(v), MPI_Neighbor_alltoall(v, w), in all forms. Blocks go from neighbour to neighbour, and each
// process has its own number of neighbours.
#include <algorithm>

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

GAPLESS_FORMS(GAPLESS_PLAIN_COLLECTIVE, Neighbor_allgather, Ineighbor_allgather, Neighbor_allgather_init, ROOTLESS,
              plain_exchange, Among::kNeighbours, true)
GAPLESS_FORMS(GAPLESS_PLAIN_COLLECTIVE, Neighbor_alltoall, Ineighbor_alltoall, Neighbor_alltoall_init, ROOTLESS,
              plain_exchange, Among::kNeighbours, false)
GAPLESS_FORMS(GAPLESS_V_COLLECTIVE, Neighbor_allgatherv, Ineighbor_allgatherv, Neighbor_allgatherv_init, PLAIN, V,
              ROOTLESS, v_gather, Among::kNeighbours)
GAPLESS_FORMS(GAPLESS_V_COLLECTIVE, Neighbor_alltoallv, Ineighbor_alltoallv, Neighbor_alltoallv_init, V, V, ROOTLESS,
              v_exchange, Among::kNeighbours)
GAPLESS_FORMS(GAPLESS_V_COLLECTIVE, Neighbor_alltoallw, Ineighbor_alltoallw, Neighbor_alltoallw_init, NEIGHBOR_W,
              NEIGHBOR_W, ROOTLESS, w_exchange, Among::kNeighbours)

}  // namespace gapless::preload

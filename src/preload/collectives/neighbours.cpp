// MPI_Neighbor_allgather(v), MPI_Neighbor_alltoall(v, w), in all forms. Blocks go from neighbour to neighbour, and each
// process has its own number of neighbours.
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

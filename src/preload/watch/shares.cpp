#include "preload/watch/shares.hpp"

namespace gapless::preload {

namespace {

Blocks neighbours(MPI_Comm comm) noexcept {
  int topology = MPI_UNDEFINED, n = 0, rank = 0, weighted = 0;
  Blocks found;
  mpi::library.Topo_test(comm, &topology);
  switch (topology) {
    case MPI_CART:
      mpi::library.Cartdim_get(comm, &n);
      return {2 * n, 2 * n};
    case MPI_GRAPH:
      mpi::library.Comm_rank(comm, &rank);
      mpi::library.Graph_neighbors_count(comm, rank, &n);
      return {n, n};
    case MPI_DIST_GRAPH:
      mpi::library.Dist_graph_neighbors_count(comm, &found.in, &found.out, &weighted);
      return found;
    default:
      return found;
  }
}

}  // namespace

Blocks blocks_of(Kind kind, MPI_Comm comm, int root) noexcept {
  if (comm == MPI_COMM_NULL) return {};
  if (kind == Kind::kNeighbourAll) return neighbours(comm);
  if (kind == Kind::kNeighbourGather) return {1, neighbours(comm).in};
  int size = 0, rank = 0, is_between = 0;
  mpi::library.Comm_test_inter(comm, &is_between);
  if (is_between != 0) {
    mpi::library.Comm_remote_size(comm, &size);
  } else {
    mpi::library.Comm_size(comm, &size);
  }
  if (kind == Kind::kAllGather) return {1, size};
  if (kind == Kind::kAllToAll) return {size, size};
  bool is_root = false, takes_part = true;
  if (is_between != 0) {
    is_root = root == MPI_ROOT;
    takes_part = !is_root && root != MPI_PROC_NULL;
  } else {
    mpi::library.Comm_rank(comm, &rank);
    is_root = rank == root;
  }
  const int own = takes_part ? 1 : 0, all = is_root ? size : 0;
  return kind == Kind::kGather ? Blocks{own, all} : Blocks{all, own};
}

}  // namespace gapless::preload

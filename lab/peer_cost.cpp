#include "peer_cost.hpp"

#include "peer_lines.hpp"

#include <mpi.h>

#include <algorithm>
#include <vector>

namespace gapless::lab {
namespace {

constexpr int kLines = 2048;  // 128 KB: within the second cache
constexpr int kRounds = 31;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::optional<PeerCost> measure_peer_cost() {
  int rank = 0, node_ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm two = MPI_COMM_NULL, node = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &two);
  std::optional<PeerCost> cost;
  if (two != MPI_COMM_NULL) {
    MPI_Comm_split_type(two, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &node_ranks);
    if (node_ranks == 2) {
      MPI_Win window = MPI_WIN_NULL;
      void* memory = nullptr;
      const auto bytes = static_cast<MPI_Aint>(PeerLines::shared_bytes(kLines) + PeerLines::kLine);
      MPI_Win_allocate_shared(rank == 0 ? bytes : 0, 1, MPI_INFO_NULL, node, &memory, &window);
      MPI_Aint size = 0;
      int unit = 0;
      MPI_Win_shared_query(window, 0, &size, &unit, &memory);
      // On a line: mappings of both ranks begin on a page, so that this is the same place for both.
      const auto address = reinterpret_cast<std::uintptr_t>(memory);
      char* const lines =
          static_cast<char*>(memory) + (PeerLines::kLine - address % PeerLines::kLine) % PeerLines::kLine;
      if (rank == 0) std::fill_n(lines, PeerLines::shared_bytes(kLines), '\0');
      MPI_Win_fence(0, window);
      PeerLines shared(lines, kLines);
      if (rank == 0) {
        const double plain_ns = median(shared.write(Store::kPlain, kRounds));
        cost = PeerCost{plain_ns, median(shared.write(Store::kPast, kRounds))};
      } else {
        shared.read(2 * kRounds);
      }
      MPI_Win_fence(0, window);
      MPI_Win_free(&window);
    }
    MPI_Comm_free(&node);
    MPI_Comm_free(&two);
  }
  return cost;
}

}  // namespace gapless::lab

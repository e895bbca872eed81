// Spawns one process like itself and exchanges strided data with it, in both directions. usage: spawn
#include "../preload/support.hpp"

#include <vector>

namespace {

constexpr int kLength = 1000, kStride = 3;

void exchange(MPI_Comm inter, int mine) {
  MPI_Datatype column;
  MPI_Type_vector(kLength, 1, kStride, MPI_INT, &column);
  MPI_Type_commit(&column);
  std::vector<int> from(kLength * kStride), to(from.size(), -1);
  for (std::size_t k = 0; k < from.size(); ++k) from[k] = static_cast<int>(k) + mine;
  MPI_Request requests[2];
  MPI_Irecv(to.data(), 1, column, 0, 0, inter, &requests[0]);
  MPI_Isend(from.data(), 1, column, 0, 0, inter, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int k = 0; k < kLength * kStride; ++k) {
    CHECK(to[static_cast<std::size_t>(k)] == (k % kStride == 0 ? k + 1000 - mine : -1), "element %d", k);
  }
  MPI_Type_free(&column);
}

}  // namespace

int main(int argc, char** argv) {
  const char* const own = argv[0];
  MPI_Init(&argc, &argv);
  // Not every launcher hands the environment on (Open MPI 5): a spawned process may be without the layer, and its
  // parent must not notice.
  const test::Layer layer;
  MPI_Comm inter;
  MPI_Comm_get_parent(&inter);
  const bool is_child = inter != MPI_COMM_NULL;
  if (!is_child) {
    MPI_Comm_spawn(own, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter, MPI_ERRCODES_IGNORE);
  }
  for (int round = 0; round < 10; ++round) exchange(inter, is_child ? 1000 : 0);
  CHECK((is_child && !layer.present()) || layer.accelerated("MPI_Irecv") == 10, "%lld accelerated",
        layer.accelerated("MPI_Irecv"));
  MPI_Comm_disconnect(&inter);
  if (!is_child) std::puts("ten exchanges with a spawned process");
  MPI_Finalize();
  return 0;
}

// MPI_Sendrecv_replace where there is no staging for what comes (GAPLESS_POOL_BYTES): it must not come where what is
// sent through shared memory still lies.
#include <chrono>
#include <thread>
#include <vector>

#include "support.hpp"

namespace {

constexpr int kBlocks = 8192, kRounds = 100;

int value(int rank, int round, int block) {
  return rank * 1'000'000 + round * 10'000 + block;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Datatype column;
  MPI_Type_vector(kBlocks, 1, 2, MPI_INT, &column);
  MPI_Type_commit(&column);
  std::vector<int> field(2 * kBlocks, -1);
  for (int round = 0; round < kRounds; ++round) {
    for (int k = 0; k < kBlocks; ++k) field[2 * k] = value(rank, round, k);
    // One is late: the other's message is there when it begins to receive.
    if (rank == round % 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    MPI_Sendrecv_replace(field.data(), 1, column, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int k = 0; k < kBlocks; ++k) {
      const int expected = value(1 - rank, round, k);
      CHECK(field[2 * k] == expected && field[2 * k + 1] == -1, "round %d, block %d: %d, not %d", round, k,
            field[2 * k], expected);
    }
  }
  MPI_Type_free(&column);
  MPI_Finalize();
}

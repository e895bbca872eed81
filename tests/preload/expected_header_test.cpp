// A receive that the rules leave to the library, and to which a header may come, is staged while the last one in its
// type got one (expected_header.rules); and all data arrive, whatever it expects.
#include <vector>

#include "support.hpp"

namespace {

constexpr int kBlocks = 8192, kMessages = 10;

int value(int message, int block) {
  return message * 100'000 + block;
}

// Both ranks; returns how many of the receives were staged.
long long staged_of(bool is_paired, int rank, MPI_Datatype column, std::vector<int>& field) {
  const long long before = test::layer().count("MPI_Recv").accelerated, paired = test::layer().count("MPI_Recv").paired;
  for (int message = 0; message < kMessages; ++message) {
    if (rank == 0) {
      for (int k = 0; k < kBlocks; ++k) field[2 * k] = value(message, k);
      MPI_Request request = MPI_REQUEST_NULL;
      if (is_paired) {
        MPI_Isend(field.data(), 1, column, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      } else {
        MPI_Send(field.data(), 1, column, 1, 0, MPI_COMM_WORLD);
      }
      continue;
    }
    field.assign(field.size(), -1);
    MPI_Recv(field.data(), 1, column, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int k = 0; k < kBlocks; ++k) {
      CHECK(field[2 * k] == value(message, k) && field[2 * k + 1] == -1, "message %d, block %d: %d", message, k,
            field[2 * k]);
    }
  }
  if (rank == 1) {
    const long long came = test::layer().count("MPI_Recv").paired - paired;
    CHECK(came == (is_paired ? kMessages : 0), "%lld receives through shared memory", came);
  }
  return test::layer().count("MPI_Recv").accelerated - before;
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
  // What the rules have paired is expected at first; then what came.
  for (const bool is_paired : {false, true, false}) {
    const long long staged = staged_of(is_paired, rank, column, field);
    if (rank == 1 && !is_paired) CHECK(staged == 1, "%lld receives staged", staged);
    if (rank == 1 && is_paired) CHECK(staged >= kMessages - 1, "%lld receives staged", staged);
  }
  MPI_Type_free(&column);
  MPI_Finalize();
}

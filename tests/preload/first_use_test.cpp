// A program that makes a type for each message: of a small one the type is not looked up, unless it is used again, or
// the request that it is used for lasts; of a large one it is.
#include <vector>

#include "support.hpp"

namespace {

constexpr int kLookedUp = 64;  // as in mpi/types/datatype.cpp
constexpr int kSmall = 400, kLarge = 2000;

// Sends and receives `uses` messages of a type of its own, and checks the data.
void exchange(int rank, int ints, int uses, bool persistent = false) {
  std::vector<int> field(static_cast<std::size_t>(2 * ints), -1);
  MPI_Datatype column;
  MPI_Type_vector(ints, 1, 2, MPI_INT, &column);
  MPI_Type_commit(&column);
  for (int use = 0; use < uses; ++use) {
    for (int k = 0; k < ints; ++k) field[static_cast<std::size_t>(2 * k)] = rank == 0 ? use + k : -1;
    if (rank == 0 && persistent) {
      MPI_Request request;
      MPI_Send_init(field.data(), 1, column, 1, 0, MPI_COMM_WORLD, &request);
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Request_free(&request);
    } else if (rank == 0) {
      MPI_Send(field.data(), 1, column, 1, 0, MPI_COMM_WORLD);
    } else {
      MPI_Recv(field.data(), 1, column, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int k = 0; k < 2 * ints; ++k) {
      const int found = field[static_cast<std::size_t>(k)], expected = k % 2 == 0 ? use + k / 2 : -1;
      CHECK(found == expected, "int %d is %d, not %d", k, found, expected);
    }
  }
  MPI_Type_free(&column);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const test::Layer layer = test::layer();
  const auto accelerated = [&](const char* procedure, int types, int ints, int uses, bool persistent = false) {
    const long long before = layer.accelerated(procedure);
    for (int k = 0; k < types; ++k) exchange(rank, ints + k, uses, persistent);
    return layer.accelerated(procedure) - before;
  };
  const char* const procedure = rank == 0 ? "MPI_Send" : "MPI_Recv";
  const long long begin = accelerated(procedure, kLookedUp, kSmall, 1);
  CHECK(begin == kLookedUp, "of the first types %lld were packed", begin);
  const long long once = accelerated(procedure, 20, kSmall, 1);
  CHECK(once == 0, "of types that are used once %lld were packed", once);
  const long long again = accelerated(procedure, 1, kSmall, 5);
  CHECK(again == 4, "of a type that is used five times %lld messages were packed", again);
  const long long large = accelerated(procedure, 20, kLarge, 1);
  CHECK(large == 20, "of large messages %lld were packed", large);
  const long long lasting = accelerated(rank == 0 ? "MPI_Send_init" : "MPI_Recv", 1, kSmall, 1, true);
  CHECK(rank != 0 || lasting == 1, "persistent requests: %lld were packed", lasting);
  MPI_Finalize();
  return 0;
}

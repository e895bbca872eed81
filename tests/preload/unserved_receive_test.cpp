// A program that receives by a procedure which the front under it does not have: nothing may be sent to it through
// shared memory, or it would take the header for the message. usage: unserved_receive_test [served], if it has.
#include <vector>

#include "support.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  constexpr int kDoubles = 8192;
  MPI_Datatype column;
  MPI_Type_vector(kDoubles, 1, 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  std::vector<double> data(2 * kDoubles, -1);
  for (int k = 0; k < 2 * kDoubles && rank == 0; ++k) data[static_cast<std::size_t>(k)] = k;
  MPI_Barrier(MPI_COMM_WORLD);  // nothing is paired with a process that is still in MPI_Init
  if (rank == 0) {
    MPI_Send(data.data(), 1, column, 1, 7, MPI_COMM_WORLD);
  } else {
    MPI_Recv_c(data.data(), kDoubles, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int k = 0; k < kDoubles; ++k)
      CHECK(data[static_cast<std::size_t>(k)] == 2 * k, "element %d is %g", k, data[static_cast<std::size_t>(k)]);
  }
  const bool is_served = argc > 1;
  const long long paired = test::layer().paired("MPI_Send");
  CHECK(rank != 0 || paired == (is_served ? 1 : 0), "%lld messages were paired", paired);
  MPI_Type_free(&column);
  MPI_Finalize();
  return 0;
}

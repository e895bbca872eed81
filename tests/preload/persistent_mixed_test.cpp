// A persistent send of mixed basic types to the same process, which MPICH would cut inside an element where it is
// packed and received by the library itself.
#include <algorithm>
#include <vector>

#include "support.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  constexpr int kDoubles = 2000, kChars = 7, kCount = 16;
  const int lengths[] = {kDoubles, kChars};
  const MPI_Aint places[] = {0, 8 * kDoubles};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_CHAR};
  constexpr int kExtent = 8 * kDoubles + 16;
  MPI_Datatype both, type;
  MPI_Type_create_struct(2, lengths, places, types, &both);
  MPI_Type_create_resized(both, 0, kExtent, &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&both);
  std::vector<unsigned char> out(static_cast<std::size_t>(kCount * kExtent)), in(out.size());
  MPI_Request request;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Send_init(out.data(), kCount, type, rank, 5, MPI_COMM_WORLD, &request);
  for (unsigned char round = 1; round < 8; ++round) {
    std::fill(out.begin(), out.end(), round);
    std::fill(in.begin(), in.end(), 0);
    MPI_Start(&request);
    MPI_Recv(in.data(), kCount, type, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int k = 0; k < kCount * kExtent; ++k) {
      const int wanted = k % kExtent < 8 * kDoubles + kChars ? round : 0;
      CHECK(in[static_cast<std::size_t>(k)] == wanted, "round %d: byte %d", round, k);
    }
  }
  MPI_Request_free(&request);
  MPI_Type_free(&type);
  MPI_Finalize();
  return 0;
}

// Probes, wildcards and counts see what they would see without the layer.
#include <vector>

#include "support.hpp"

namespace {

struct Seen {
  int source, tag, count, elements, bytes;
  bool operator==(const Seen&) const = default;
};

Seen look(const MPI_Status& status, MPI_Datatype type) {
  Seen seen{status.MPI_SOURCE, status.MPI_TAG, 0, 0, 0};
  MPI_Get_count(&status, type, &seen.count);
  MPI_Get_elements(&status, type, &seen.elements);
  MPI_Get_count(&status, MPI_BYTE, &seen.bytes);
  return seen;
}

// Rank 0 sends `sent` doubles' worth of the column; rank 1 probes and receives up to 4 columns with wildcards.
std::vector<Seen> exchange(int rank, MPI_Datatype column, MPI_Datatype half, int sent_halves, std::vector<double>& to) {
  std::vector<double> from(512);
  for (std::size_t k = 0; k < from.size(); ++k) from[k] = static_cast<double>(k);
  std::vector<Seen> seen;
  if (rank == 0) {
    MPI_Send(from.data(), sent_halves, half, 1, 40 + sent_halves, MPI_COMM_WORLD);
  } else {
    MPI_Status status;
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    seen.push_back(look(status, column));
    MPI_Recv(to.data(), 4, column, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    seen.push_back(look(status, column));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return seen;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const test::Layer layer = test::layer();
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  // A column of 8 x 2 doubles; its half has an odd number of doubles, so that a message may end inside of a block.
  MPI_Datatype column, half;
  MPI_Type_vector(8, 2, 5, MPI_DOUBLE, &column);
  MPI_Type_vector(5, 1, 3, MPI_DOUBLE, &half);
  MPI_Type_commit(&column);
  MPI_Type_commit(&half);
  for (int halves = 0; halves <= 12; ++halves) {
    std::vector<double> plain_to(512, -1), to(512, -1);
    layer.set(false);
    const auto plain = exchange(rank, column, half, halves, plain_to);
    layer.set(true);
    const auto layered = exchange(rank, column, half, halves, to);
    CHECK(plain == layered, "%d halves: the statuses differ", halves);
    CHECK(plain_to == to, "%d halves: the data differ", halves);
    CHECK(rank == 0 || layered[1].bytes == halves * 40, "%d halves: %d bytes", halves, layered[1].bytes);
  }
  CHECK(layer.accelerated(rank == 0 ? "MPI_Send" : "MPI_Recv") >= 12, "the layer did nothing here");
  MPI_Type_free(&column);
  MPI_Type_free(&half);
  MPI_Finalize();
  return 0;
}

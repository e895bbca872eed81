// The three numbers of the all-to-all model (docs/alltoallv.md), between two ranks: prints one line of JSON. Of many
// short samples one near the least counts: what another program's turn makes of them is not asked. Under the layer,
// where its own all-to-alls are faster as well (alltoall.hpp); the numbers are the library's all the same.
#include "facts.hpp"
#include "layer_switch.hpp"
#include "tune/alltoall.hpp"

#include <mpi.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <vector>

namespace {

constexpr int kShort = 8, kLong = 1 << 20;  // [bytes]
constexpr int kBatch = 5, kBatches = 300, kLongMessages = 100;
constexpr std::size_t kOneIn = 20;                                    // samples of which one is shorter
constexpr std::int64_t kBlock = 64, kBlocks = 1024, kPackings = 400;  // [bytes] as short blocks are; within a cache

template <class Run>
double low_of(int samples, Run run) {
  std::vector<double> seconds;
  for (int k = 0; k < samples; ++k) {
    const double begin = MPI_Wtime();
    run();
    seconds.push_back(MPI_Wtime() - begin);
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / kOneIn];
}

double latency(int rank) {
  char message[kShort] = {};
  const int other = 1 - rank;
  const auto batch = [&] {
    for (int k = 0; k < kBatch; ++k) {
      if (rank == 0) MPI_Send(message, kShort, MPI_BYTE, other, 0, MPI_COMM_WORLD);
      MPI_Recv(message, kShort, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank == 1) MPI_Send(message, kShort, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    }
  };
  return low_of(kBatches, batch) / kBatch / 2;
}

// In both directions at once, as in an all-to-all.
double bandwidth(int rank) {
  std::vector<char> out(kLong, 1), in(kLong);
  const auto both = [&] {
    MPI_Sendrecv(out.data(), kLong, MPI_BYTE, 1 - rank, 1, in.data(), kLong, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  };
  return kLong / low_of(kLongMessages, both);
}

double pack_rate() {
  std::vector<char> gapped(2 * kBlock * kBlocks, 1), packed(kBlock * kBlocks);
  volatile char seen = 0;
  const auto pack = [&] {
    for (std::int64_t k = 0; k < kBlocks; ++k)
      std::memcpy(packed.data() + k * kBlock, gapped.data() + 2 * k * kBlock, static_cast<std::size_t>(kBlock));
    seen = packed[static_cast<std::size_t>(kBlock)];
  };
  const double seconds = low_of(kPackings, pack);
  (void)seen;
  return kBlock * kBlocks / seconds;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0, here = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    if (rank == 0) std::cerr << "tune_numbers: 2 ranks are wanted\n";
    MPI_Finalize();
    return 2;
  }
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &here);
  MPI_Comm_free(&node);
  const gapless::lab::LayerSwitch layer;
  if (layer.present()) layer.set_all(false);
  const double latency_s = latency(rank), bytes_per_s = bandwidth(rank), packed_per_s = pack_rate();
  nlohmann::json alltoall;
  if (layer.present()) alltoall = gapless::lab::tune::measure_alltoall(layer);
  const std::string library = gapless::lab::mpi_library_line();
  if (rank == 0)
    std::cout << nlohmann::json{{"kind", "numbers"},      {"library", library},       {"near", here == 2},
                                {"latency_s", latency_s}, {"bandwidth", bytes_per_s}, {"pack", packed_per_s},
                                {"alltoall", alltoall}}
                     .dump()
              << std::endl;
  MPI_Finalize();
  return 0;
}

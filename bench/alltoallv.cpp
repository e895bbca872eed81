// alltoallv: the irregular all-to-all on each algorithm, beside the library's own MPI_Alltoallv.
//
//   mpiexec -n N alltoallv times BYTES,BYTES... SAMPLES        equal blocks, so many bytes each
//   mpiexec -n N alltoallv run ALGORITHM plain|persistent BYTES CALLS     for callgrind; MPI: MPI_Alltoallv itself
//
// `times` prints a line for each size and algorithm: the median time of MPI_Alltoallv, and the medians of the ratios of
// a plain and of a persistent all-to-all to it. A sample is a batch of calls of each in turn, in random order, begun by
// a barrier, as long as the slowest process takes; a ratio is of two samples of one turn.
#include <gapless/gapless_mpi.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr double kBatchSeconds = 300e-6;

int rank = 0, processes = 1;

class Blocks {
 public:
  explicit Blocks(int bytes)
      : counts_(static_cast<std::size_t>(processes), bytes),
        large_(counts_.begin(), counts_.end()),
        out_(static_cast<std::size_t>(processes) * static_cast<std::size_t>(bytes) + 1),
        in_(out_.size()) {
    for (int peer = 0; peer < processes; ++peer) {
      places_.push_back(peer * bytes);
      large_places_.push_back(peer * static_cast<MPI_Aint>(bytes));
    }
  }
  void library() {
    MPI_Alltoallv(out_.data(), counts_.data(), places_.data(), MPI_BYTE, in_.data(), counts_.data(), places_.data(),
                  MPI_BYTE, MPI_COMM_WORLD);
  }
  void plain(const char* algorithm) {
    GAPLESS_Alltoallv(out_.data(), large_.data(), large_places_.data(), MPI_BYTE, in_.data(), large_.data(),
                      large_places_.data(), MPI_BYTE, MPI_COMM_WORLD, algorithm);
  }
  GAPLESS_Request init(const char* algorithm) {
    GAPLESS_Request request = GAPLESS_REQUEST_NULL;
    GAPLESS_Alltoallv_init(out_.data(), large_.data(), large_places_.data(), MPI_BYTE, in_.data(), large_.data(),
                           large_places_.data(), MPI_BYTE, MPI_COMM_WORLD, algorithm, &request);
    return request;
  }

 private:
  std::vector<int> counts_, places_;
  std::vector<MPI_Count> large_;
  std::vector<MPI_Aint> large_places_;
  std::vector<char> out_, in_;
};

// One way to do it; `algorithm`: null where the model chooses, "MPI" for the library itself.
struct Way {
  const char* algorithm;
  bool is_persistent;
  GAPLESS_Request request = GAPLESS_REQUEST_NULL;
  std::vector<double> seconds{};
  void run(Blocks& blocks) const {
    if (algorithm != nullptr && std::strcmp(algorithm, "MPI") == 0) {
      blocks.library();
    } else if (is_persistent) {
      GAPLESS_Start(request);
      GAPLESS_Wait(request);
    } else {
      blocks.plain(algorithm);
    }
  }
};

double slowest(double seconds) {
  double most = 0;
  MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

double batch(const Way& way, Blocks& blocks, int calls) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int k = 0; k < calls; ++k) way.run(blocks);
  return slowest(MPI_Wtime() - begin) / calls;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double ratio(const Way& way, const Way& to) {
  std::vector<double> ratios;
  for (std::size_t k = 0; k < way.seconds.size(); ++k) ratios.push_back(way.seconds[k] / to.seconds[k]);
  return median(ratios);
}

void times(int bytes, int samples) {
  Blocks blocks(bytes);
  std::vector<Way> ways{{"MPI", false}};
  std::vector<const char*> names{nullptr};
  for (int k = 0; GAPLESS_Alltoall_algorithm(1, k) != nullptr; ++k) names.push_back(GAPLESS_Alltoall_algorithm(1, k));
  for (const char* const name : names) {
    ways.push_back({name, false});
    ways.push_back({name, true, blocks.init(name)});
  }
  double once = 1;  // the shortest of some: another program's turn is not asked
  for (int k = 0; k < 20; ++k) once = std::min(once, batch(ways[0], blocks, 4));
  const int calls = std::clamp(static_cast<int>(kBatchSeconds / once), 1, 500);
  std::mt19937 random(1);  // the same order on all processes
  std::vector<std::size_t> order(ways.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  for (int sample = 0; sample <= samples; ++sample) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t k : order) {
      const double seconds = batch(ways[k], blocks, calls);
      if (sample > 0) ways[k].seconds.push_back(seconds);  // the first one warms up
    }
  }
  for (std::size_t k = 1; rank == 0 && k < ways.size(); k += 2)
    std::printf("%8d bytes  MPI %9.2f us  %-10s plain %5.2f  persistent %5.2f\n", bytes, median(ways[0].seconds) * 1e6,
                ways[k].algorithm == nullptr ? "(model)" : ways[k].algorithm, ratio(ways[k], ways[0]),
                ratio(ways[k + 1], ways[0]));
  for (Way& way : ways)
    if (way.request != GAPLESS_REQUEST_NULL) GAPLESS_Request_free(&way.request);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "times" && argc == 4) {
    std::istringstream words(argv[2]);
    for (std::string word; std::getline(words, word, ',');) times(std::atoi(word.c_str()), std::atoi(argv[3]));
  } else if (what == "run" && argc == 6) {
    Blocks blocks(std::atoi(argv[4]));
    Way way{std::strcmp(argv[2], "model") == 0 ? nullptr : argv[2], std::strcmp(argv[3], "persistent") == 0};
    if (way.is_persistent) way.request = blocks.init(way.algorithm);
    for (int k = 0; k < std::atoi(argv[5]); ++k) way.run(blocks);
    if (way.is_persistent) GAPLESS_Request_free(&way.request);
  } else {
    if (rank == 0)
      std::fprintf(stderr, "usage: times BYTES,... SAMPLES | run ALGORITHM plain|persistent BYTES CALLS\n");
    MPI_Finalize();
    return 2;
  }
  MPI_Finalize();
  return 0;
}

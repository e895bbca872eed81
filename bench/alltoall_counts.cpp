// What the regular all-to-all algorithms do, counted from their schedules: the tables of docs/alltoall.md. Needs no
// MPI. Usage: alltoall_counts [processes...]
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "gapless/gapless_mpi.h"

namespace {

GAPLESS_Alltoall_counts count(const char* algorithm, int processes, int in_place) {
  GAPLESS_Alltoall_counts counts{};
  if (GAPLESS_Alltoall_count(algorithm, processes, in_place, &counts) != MPI_SUCCESS) std::abort();
  return counts;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> numbers;
  for (int k = 1; k < argc; ++k) numbers.push_back(std::atoi(argv[k]));
  if (numbers.empty()) numbers = {2, 4, 6, 8, 13, 16, 33, 36, 64, 80, 100, 256, 1000, 1024};
  std::printf(
      "| processes | rounds | blocks sent | copied: basic | modified | least-slots | slots: zero-copy | least-slots | "
      "in place: slots | copied |\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (const int p : numbers) {
    const GAPLESS_Alltoall_counts least = count("least-slots", p, 0), in_place = count("least-slots", p, 1);
    std::printf("| %d | %lld | %lld | %lld | %lld | %lld | %lld | %lld | %lld | %lld |\n", p, least.rounds,
                least.blocks_sent, count("basic", p, 0).blocks_copied, count("modified", p, 0).blocks_copied,
                least.blocks_copied, count("zero-copy", p, 0).slots, least.slots, in_place.slots,
                in_place.blocks_copied);
  }
  return 0;
}

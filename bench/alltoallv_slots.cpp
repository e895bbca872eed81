// alltoallv_slots: the memory of the irregular zero-copy Bruck besides the two buffers, for each number of processes.
//
//   alltoallv_slots FIRST LAST [SEED]
//
// Prints a line for each: `slots`, the most blocks on their way through a process at a time, and its part of 1.5 p; the
// schedule's own memory when all blocks have one length, in blocks; when lengths are random, from 0 to 1000 bytes, in
// largest blocks; the pieces of its messages then, and the blocks that it receives. Exits with 1 if memory is more than
// `slots` largest blocks anywhere, or if `slots` is not less than 1.5 p.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "alltoall/irregular_bruck.hpp"
#include "alltoall/irregular_rounds.hpp"

using namespace gapless::alltoall::irregular;

namespace {

// What passes through one process: sizes that come from others are as random as its own.
Schedule schedule_of(int processes, int least, int most, std::mt19937& random) {
  std::uniform_int_distribution<std::int64_t> size(least, most);
  std::vector<std::int64_t> own(static_cast<std::size_t>(processes));
  for (std::int64_t& bytes : own) bytes = size(random);
  Sizes sizes(0, own);
  for (int k = 0; k < sizes.rounds(); ++k) {
    std::vector<std::int64_t> told(sizes.outgoing(k).size());
    for (std::int64_t& bytes : told) bytes = size(random);
    sizes.arrived(k, told);
  }
  return bruck(sizes);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: alltoallv_slots FIRST LAST [SEED]\n");
    return 2;
  }
  constexpr int kLargest = 1000;
  std::mt19937 random(argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 1);
  bool holds = true;
  for (int p = std::atoi(argv[1]); p <= std::atoi(argv[2]); ++p) {
    const std::int64_t slots = held_blocks(p), equal = schedule_of(p, 1, 1, random).held_bytes;
    const Schedule mixed = schedule_of(p, 0, kLargest, random);
    std::int64_t pieces = 0, blocks = 0;
    for (const Round& round : mixed.rounds) pieces += static_cast<std::int64_t>(mixed.in(round).size());
    for (int k = 0; k < round_count(p); ++k) blocks += moved_count(p, k);
    std::printf("p %4d  slots %4lld  of 1.5 p %.3f  equal %4lld  random %7.1f  pieces %5lld of %5lld blocks\n", p,
                static_cast<long long>(slots), static_cast<double>(slots) / (1.5 * p), static_cast<long long>(equal),
                static_cast<double>(mixed.held_bytes) / kLargest, static_cast<long long>(pieces),
                static_cast<long long>(blocks));
    holds = holds && 2 * slots < 3 * p && equal == slots && mixed.held_bytes <= slots * kLargest;
  }
  return holds ? 0 : 1;
}

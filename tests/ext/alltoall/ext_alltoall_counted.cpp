// What an all-to-all sends is what GAPLESS_Alltoall_count says: messages and bytes are counted where they go to the
// library, by the program's own MPI_Isend.
#include <mpi.h>

#include <cstdio>
#include <string>
#include <vector>

#include "gapless/gapless_mpi.h"

namespace {

long long messages = 0, bytes = 0;
int failures = 0;

}  // namespace

extern "C" __attribute__((visibility("default"))) int MPI_Isend(const void* buffer, int count, MPI_Datatype type,
                                                                int dest, int tag, MPI_Comm comm,
                                                                MPI_Request* request) {
  int size = 0;
  PMPI_Type_size(type, &size);
  ++messages;
  bytes += static_cast<long long>(count) * size;
  return PMPI_Isend(buffer, count, type, dest, tag, comm, request);
}

namespace {

void expect(long long found, long long expected, const std::string& what) {
  if (found == expected) return;
  ++failures;
  std::fprintf(stderr, "%s: %lld, expected %lld\n", what.c_str(), found, expected);
}

// `size` processes, blocks of three ints.
void count(const std::string& name, int size, bool is_in_place, MPI_Comm comm) {
  constexpr int kInts = 3;
  std::vector<int> send(static_cast<std::size_t>(kInts * size), 1), receive(send.size(), 0);
  GAPLESS_Alltoall_counts counts{};
  const std::string what = name + ", " + std::to_string(size) + (is_in_place ? ", in place" : "");
  expect(GAPLESS_Alltoall_count(name.c_str(), size, is_in_place ? 1 : 0, &counts), MPI_SUCCESS, what);
  const void* const from = is_in_place ? MPI_IN_PLACE : static_cast<const void*>(send.data());
  for (int call = 0; call < 3; ++call) {  // the third one has everything from the second
    messages = bytes = 0;
    expect(GAPLESS_Alltoall(from, kInts, MPI_INT, receive.data(), kInts, MPI_INT, comm, name.c_str()), MPI_SUCCESS,
           what);
    expect(messages, counts.messages, what + ": messages");
    expect(bytes, counts.blocks_sent * kInts * 4, what + ": bytes");
  }
}

}  // namespace

int main(int argc, char** argv) {
  // Before MPI_Init: it needs none.
  GAPLESS_Alltoall_counts counts{};
  expect(GAPLESS_Alltoall_count("least-slots", 1024, 0, &counts), MPI_SUCCESS, "count before MPI_Init");
  expect(counts.rounds, 10, "rounds of 1024");
  expect(counts.slots, 510, "slots of 1024");
  expect(counts.blocks_copied, 0, "copies of 1024");
  expect(GAPLESS_Alltoall_count("least", 8, 0, &counts), MPI_ERR_ARG, "no such name");
  expect(GAPLESS_Alltoall_count(nullptr, 8, 0, &counts), MPI_ERR_ARG, "no name");
  expect(GAPLESS_Alltoall_count("library", 8, 0, &counts), MPI_ERR_ARG, "what has no schedule");
  expect(GAPLESS_Alltoall_count("pairwise", 0, 0, &counts), MPI_ERR_ARG, "no processes");
  expect(GAPLESS_Alltoall_count("pairwise", 8, 0, nullptr), MPI_ERR_ARG, "no counts");
  expect(counts.slots, 510, "what errors leave alone");
  MPI_Init(&argc, &argv);
  int world = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int counted = 0;
  for (int size = 1; size <= world; ++size) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank < size ? 0 : MPI_UNDEFINED, 0, &comm);
    if (comm == MPI_COMM_NULL) continue;
    for (int k = 0; const char* name = GAPLESS_Alltoall_algorithm(0, k); ++k) {
      if (std::string(name) == "library") continue;
      for (const char* how : {"", ":types", ":staged"})
        for (const bool is_in_place : {false, true}) count(std::string(name) + how, size, is_in_place, comm);
      ++counted;
    }
    MPI_Comm_free(&comm);
  }
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("alltoall_counted: %d algorithms, %d failures\n", counted, all);
  MPI_Finalize();
  return all == 0 && (rank > 0 || counted > 0) ? 0 : 1;
}

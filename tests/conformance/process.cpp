// What becomes of the process. usage: process fork | exhausted | no_finalize | abort
#include <sys/wait.h>
#include <unistd.h>

#include "twin.hpp"

using namespace conformance;

namespace {

constexpr int kLength = 4000, kStride = 3;

void exchange(int rank, int round) {
  MPI_Datatype column;
  MPI_Type_vector(kLength, 1, kStride, MPI_INT, &column);
  MPI_Type_commit(&column);
  std::vector<int> from(kLength * kStride), to(from.size(), -1);
  for (std::size_t k = 0; k < from.size(); ++k) from[k] = static_cast<int>(k) + 1000 * rank + round;
  MPI_Request requests[2];
  MPI_Irecv(to.data(), 1, column, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(from.data(), 1, column, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int k = 0; k < kLength * kStride; ++k) {
    const int expected = k % kStride == 0 ? k + 1000 * (1 - rank) + round : -1;
    CHECK(to[static_cast<std::size_t>(k)] == expected, "round %d, element %d", round, k);
  }
  MPI_Type_free(&column);
}

// The child computes and leaves; the parent goes on, with operations that were pending when it forked.
void fork_one(int rank) {
  MPI_Datatype column;
  MPI_Type_vector(kLength, 1, kStride, MPI_INT, &column);
  MPI_Type_commit(&column);
  std::vector<int> field(kLength * kStride, rank), to(field.size(), -1);
  MPI_Request requests[2];
  MPI_Irecv(to.data(), 1, column, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
  const pid_t child = fork();
  if (child == 0) {
    double sum = 0;
    for (int k = 1; k < 1000; ++k) sum += 1.0 / k;
    _exit(sum > 7 && sum < 8 ? 5 : 6);
  }
  MPI_Isend(field.data(), 1, column, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (std::size_t k = 0; k < to.size(); ++k) CHECK(to[k] == (k % kStride == 0 ? 1 - rank : -1), "element %zu", k);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 5, "the child: %d", status);
  MPI_Type_free(&column);
}

// Staging for a few of many outstanding operations: the others are plain MPI, in the right order all the same.
void exhaust(int rank, const test::Layer& layer) {
  constexpr int kMany = 32;
  MPI_Datatype column;
  MPI_Type_vector(kLength, 1, kStride, MPI_INT, &column);
  MPI_Type_commit(&column);
  std::vector<std::vector<int>> from(kMany), to(kMany);
  std::vector<MPI_Request> requests(2 * kMany);
  for (int k = 0; k < kMany; ++k) {
    to[k].assign(kLength * kStride, -1);
    MPI_Irecv(to[k].data(), 1, column, 1 - rank, k % 3, MPI_COMM_WORLD, &requests[2 * k]);
  }
  for (int k = 0; k < kMany; ++k) {
    for (int j = 0; j < kLength * kStride; ++j) from[k].push_back(j + 7 * k + rank);
    MPI_Isend(from[k].data(), 1, column, 1 - rank, k % 3, MPI_COMM_WORLD, &requests[2 * k + 1]);
  }
  MPI_Waitall(2 * kMany, requests.data(), MPI_STATUSES_IGNORE);
  for (int k = 0; k < kMany; ++k) {
    for (int j = 0; j < kLength * kStride; ++j) {
      const int got = to[k][static_cast<std::size_t>(j)];
      CHECK(got == (j % kStride == 0 ? j + 7 * k + 1 - rank : -1), "message %d, element %d: %d", k, j, got);
    }
  }
  const GAPLESS_Counters receives = layer.count("MPI_Irecv");
  CHECK(receives.accelerated > 0 && receives.accelerated < receives.calls, "%lld of %lld receives accelerated",
        receives.accelerated, receives.calls);
  MPI_Type_free(&column);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const test::Layer layer = test::layer();
  exchange(rank, 0);
  if (mode == "fork") {
    for (int k = 0; k < 3; ++k) fork_one(rank), exchange(rank, k);
  } else if (mode == "exhausted") {
    exhaust(rank, layer);
  } else if (mode == "no_finalize") {
    MPI_Barrier(MPI_COMM_WORLD);
    std::puts("leaves without MPI_Finalize");
    std::fflush(stdout);
    _exit(0);
  } else if (mode == "abort") {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
      std::puts("aborts");
      std::fflush(stdout);
      MPI_Abort(MPI_COMM_WORLD, 3);
    }
    MPI_Recv(nullptr, 0, MPI_BYTE, 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  if (rank == 0) std::printf("%s: the data are right\n", mode.c_str());
  return 0;
}

// Threads that send derived types while another creates and frees types, some of those in use among them.
#include <atomic>
#include <thread>
#include <vector>

#include "support.hpp"

namespace {

constexpr int kSenders = 4, kRounds = 400;
std::atomic<bool> done{false};

void send_and_receive(int rank, int thread, const std::vector<MPI_Datatype>& shared) {
  const int peer = 1 - rank;
  std::vector<int> from(4096), to(4096);
  for (int round = 0; round < kRounds; ++round) {
    const int stride = 3 + (round + thread) % 5;
    MPI_Datatype own;
    MPI_Type_vector(64, 1, stride, MPI_INT, &own);
    MPI_Type_commit(&own);
    for (int k = 0; k < 4096; ++k)
      from[static_cast<std::size_t>(k)] = k + round + 1000 * rank, to[static_cast<std::size_t>(k)] = -1;
    // Even rounds: a type of its own; odd ones: one that all threads use.
    const MPI_Datatype type = round % 2 == 0 ? own : shared[static_cast<std::size_t>(stride - 3)];
    MPI_Sendrecv(from.data(), 1, type, peer, thread, to.data(), 1, type, peer, thread, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int k = 0; k < 64 * stride; ++k) {
      const int expected = k % stride == 0 ? k + round + 1000 * peer : -1;
      CHECK(to[static_cast<std::size_t>(k)] == expected, "thread %d, round %d: element %d", thread, round, k);
    }
    MPI_Type_free(&own);
  }
}

void create_and_free() {
  for (int round = 0; !done.load(std::memory_order_relaxed); ++round) {
    MPI_Datatype type, copy;
    MPI_Type_vector(1 + round % 9, 1, 2 + round % 3, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Type_dup(type, &copy);
    MPI_Type_free(&type);
    MPI_Type_free(&copy);
    if (round % 16 == 0) std::this_thread::yield();
  }
}

}  // namespace

int main(int argc, char** argv) {
  int provided, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  CHECK(provided == MPI_THREAD_MULTIPLE, "no threads in this library");
  const test::Layer layer = test::layer();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<MPI_Datatype> shared(5);
  for (int k = 0; k < 5; ++k) {
    MPI_Type_vector(64, 1, 3 + k, MPI_INT, &shared[static_cast<std::size_t>(k)]);
    MPI_Type_commit(&shared[static_cast<std::size_t>(k)]);
  }
  std::thread maker(create_and_free);
  std::vector<std::thread> senders;
  for (int t = 0; t < kSenders; ++t) senders.emplace_back(send_and_receive, rank, t, std::cref(shared));
  for (auto& thread : senders) thread.join();
  done = true;
  maker.join();
  CHECK(layer.accelerated("MPI_Sendrecv") == kSenders * kRounds, "%lld accelerated", layer.accelerated("MPI_Sendrecv"));
  for (auto& type : shared) MPI_Type_free(&type);
  MPI_Finalize();
  return 0;
}

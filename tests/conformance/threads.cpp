// MPI_THREAD_MULTIPLE: eight threads, each with requests of its own, completed by every completing procedure, while
// types are created and freed. Checked against arithmetic. With "probes" another thread begins to probe in the middle,
// for what never comes. usage: threads [ROUNDS [large [probes]]]
#include <atomic>
#include <string_view>
#include <thread>

#include "twin.hpp"

using namespace conformance;

namespace {

constexpr int kThreads = 8, kMany = 4;
int length = 64;  // of a message, in ints
std::atomic<int> rounds_done{0};

void finish(int how, MPI_Request* list, int n) {
  int done, index, flag = 0;
  std::vector<int> indices(static_cast<std::size_t>(n));
  switch (how) {
    case 0:
      MPI_Waitall(n, list, MPI_STATUSES_IGNORE);
      return;
    case 1:
      for (int k = n - 1; k >= 0; --k) MPI_Wait(&list[k], MPI_STATUS_IGNORE);
      return;
    case 2:
      do {
        MPI_Waitany(n, list, &index, MPI_STATUS_IGNORE);
      } while (index != MPI_UNDEFINED);
      return;
    case 3:
      do {
        MPI_Waitsome(n, list, &done, indices.data(), MPI_STATUSES_IGNORE);
      } while (done != MPI_UNDEFINED);
      return;
    case 4:
      while (flag == 0) MPI_Testall(n, list, &flag, MPI_STATUSES_IGNORE), std::this_thread::yield();
      return;
    case 5:
      do {
        MPI_Testsome(n, list, &done, indices.data(), MPI_STATUSES_IGNORE), std::this_thread::yield();
      } while (done != MPI_UNDEFINED);
      return;
    case 6:
      do {
        MPI_Testany(n, list, &index, &flag, MPI_STATUS_IGNORE), std::this_thread::yield();
      } while (flag == 0 || index != MPI_UNDEFINED);
      return;
    default:
      for (int k = 0; k < n; ++k) {
        for (flag = 0; flag == 0; std::this_thread::yield()) {
          MPI_Request_get_status(list[k], &flag, MPI_STATUS_IGNORE);
        }
        MPI_Test(&list[k], &flag, MPI_STATUS_IGNORE);
      }
  }
}

void work(int rank, int thread, int rounds) {
  const int peer = 1 - rank;
  for (int round = 0; round < rounds; ++round) {
    const int stride = 3 + (round + thread) % 4;
    MPI_Datatype type;
    MPI_Type_vector(length, 1, stride, MPI_INT, &type);
    MPI_Type_commit(&type);
    std::vector<std::vector<int>> from(kMany), to(kMany);
    MPI_Request requests[2 * kMany];
    // Every third round with persistent requests, which are started twice.
    const bool persistent = round % 3 == 2;
    const auto receive = persistent ? MPI_Recv_init : MPI_Irecv;
    const auto send = persistent ? MPI_Send_init : MPI_Isend;
    for (int k = 0; k < kMany; ++k) {
      to[k].assign(static_cast<std::size_t>(length * stride), -1);
      receive(to[k].data(), 1, type, peer, kMany * thread + k, MPI_COMM_WORLD, &requests[k]);
    }
    for (int k = 0; k < kMany; ++k) {
      for (int j = 0; j < length * stride; ++j) from[k].push_back(j + round + 1000 * k + 10000 * rank);
      send(from[k].data(), 1, type, peer, kMany * thread + k, MPI_COMM_WORLD, &requests[kMany + k]);
    }
    if (round % 2 == 0) MPI_Type_free(&type);
    if (persistent) {
      MPI_Startall(2 * kMany, requests);
      finish(round % 8, requests, 2 * kMany);
      for (std::vector<int>& field : to) std::fill(field.begin(), field.end(), -1);
      for (MPI_Request& request : requests) MPI_Start(&request);
    }
    finish((round + thread) % 8, requests, 2 * kMany);
    for (int k = 0; k < 2 * kMany && persistent; ++k) MPI_Request_free(&requests[k]);
    if (round % 2 != 0) MPI_Type_free(&type);
    for (int k = 0; k < kMany; ++k) {
      for (int j = 0; j < length * stride; ++j) {
        const int expected = j % stride == 0 ? j + round + 1000 * k + 10000 * peer : -1;
        const int got = to[k][static_cast<std::size_t>(j)];
        CHECK(got == expected, "thread %d, round %d, message %d, element %d: %d", thread, round, k, j, got);
      }
    }
    for (const MPI_Request request : requests) CHECK(request == MPI_REQUEST_NULL, "thread %d, round %d", thread, round);
    rounds_done.fetch_add(1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Twin twin(&argc, &argv, MPI_THREAD_MULTIPLE);
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 64;
  if (argc > 2 && std::string_view(argv[2]) == "large") length = 8000;
  std::vector<std::thread> threads;
  for (int k = 0; k < kThreads; ++k) threads.emplace_back(work, twin.rank(), k, rounds);
  if (argc > 3 && std::string_view(argv[3]) == "probes") {
    while (rounds_done < kThreads * rounds / 3) std::this_thread::yield();
    while (rounds_done < kThreads * rounds) {
      int flag = 0;
      MPI_Iprobe(MPI_ANY_SOURCE, kMany * kThreads, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      CHECK(flag == 0, "a message that nobody sends");
      std::this_thread::yield();
    }
  }
  for (auto& thread : threads) thread.join();
  const long long sends = twin.layer().accelerated("MPI_Isend") + twin.layer().accelerated("MPI_Send_init");
  CHECK(sends == kThreads * kMany * rounds, "%lld sends accelerated", sends);
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

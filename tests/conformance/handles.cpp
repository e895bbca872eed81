// The library gives the handle of an operation that it has completed to the next one, before the call that completed it
// returns: to one that the layer leaves alone, too; and it may give one handle to all that has completed.
// usage: handles threads ROUNDS | callback | asked | started | shared
#include <atomic>
#include <string_view>
#include <thread>

#include "twin.hpp"

using namespace conformance;

namespace {

constexpr int kMany = 8, kLength = 3000, kShort = 64;

// Strided messages, which the layer packs.
void exchange_typed(int rank, int rounds, MPI_Comm comm) {
  MPI_Datatype type;
  MPI_Type_vector(kLength, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  const std::size_t ints = 2 * kLength;
  std::vector<std::vector<int>> from(kMany), to(kMany);
  for (int round = 0; round < rounds; ++round) {
    MPI_Request requests[2 * kMany];
    for (int k = 0; k < kMany; ++k) {
      to[k].assign(ints, -1);
      MPI_Irecv(to[k].data(), 1, type, 1 - rank, k, comm, &requests[k]);
    }
    for (int k = 0; k < kMany; ++k) {
      from[k].assign(ints, 100 * round + 10 * k + rank);
      MPI_Isend(from[k].data(), 1, type, 1 - rank, k, comm, &requests[kMany + k]);
    }
    MPI_Waitall(2 * kMany, requests, MPI_STATUSES_IGNORE);
    for (int k = 0; k < kMany; ++k) {
      for (std::size_t j = 0; j < ints; ++j) {
        const int expected = j % 2 == 0 ? 100 * round + 10 * k + 1 - rank : -1;
        CHECK(to[k][j] == expected, "round %d, message %d, element %zu: %d", round, k, j, to[k][j]);
      }
    }
  }
  MPI_Type_free(&type);
}

// Contiguous messages, shorter than there is room.
void exchange_plain(int peer, int rounds, MPI_Comm comm) {
  for (int round = 0; round < rounds; ++round) {
    int from[kMany][kShort], to[kMany][kShort];
    MPI_Request requests[2 * kMany];
    MPI_Status statuses[2 * kMany];
    for (int k = 0; k < kMany; ++k) {
      std::fill_n(to[k], kShort, -1);
      std::fill_n(from[k], kShort, round + k);
      MPI_Irecv(to[k], kShort, MPI_INT, peer, k, comm, &requests[k]);
    }
    for (int k = 0; k < kMany; ++k) MPI_Isend(from[k], 20 + k, MPI_INT, peer, k, comm, &requests[kMany + k]);
    if (round % 2 == 0) {
      MPI_Waitall(2 * kMany, requests, statuses);
    } else {
      for (int k = 0; k < 2 * kMany; ++k) MPI_Wait(&requests[k], &statuses[k]);
    }
    for (int k = 0; k < kMany; ++k) {
      int count = 0;
      MPI_Get_count(&statuses[k], MPI_INT, &count);
      CHECK(count == 20 + k, "plain round %d, message %d: %d elements", round, k, count);
      for (int j = 0; j < kShort; ++j) {
        const int expected = j < count ? round + k : -1;
        CHECK(to[k][j] == expected, "plain round %d, message %d, element %d: %d", round, k, j, to[k][j]);
      }
    }
  }
}

void in_threads(int rank, int rounds) {
  MPI_Comm typed, plain;
  MPI_Comm_dup(MPI_COMM_WORLD, &typed);
  MPI_Comm_dup(MPI_COMM_WORLD, &plain);
  std::thread other([&] { exchange_plain(1 - rank, 4 * rounds, plain); });
  exchange_typed(rank, rounds, typed);
  other.join();
  MPI_Comm_free(&typed);
  MPI_Comm_free(&plain);
}

MPI_Comm alone = MPI_COMM_NULL;
int rank = 0, calls = 0;

extern "C" {
int tell_nothing(void*, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_INT, 0);
  MPI_Status_set_cancelled(status, 0);
  return MPI_SUCCESS;
}
int exchange_meanwhile(void*) {
  ++calls;
  exchange_plain(rank, 2, alone);
  return MPI_SUCCESS;
}
int cancel_nothing(void*, int) {
  return MPI_SUCCESS;
}
}

// A generalised request whose last callback sends and receives: called while the call that completes the typed
// receives before it is under way.
void in_callback() {
  MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &alone);
  const int self = rank;
  rank = 0;  // in that communicator
  MPI_Datatype type;
  MPI_Type_vector(kLength, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  std::vector<int> from(2 * kLength, 7 + self), to(2 * kLength, -1);
  MPI_Request requests[3];
  MPI_Irecv(to.data(), 1, type, 1 - self, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(from.data(), 1, type, 1 - self, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Grequest_start(tell_nothing, exchange_meanwhile, cancel_nothing, nullptr, &requests[2]);
  MPI_Grequest_complete(requests[2]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  CHECK(calls == 1, "%d calls back", calls);
  for (int j = 0; j < 2 * kLength; ++j) {
    const int expected = j % 2 == 0 ? 7 + 1 - self : -1;
    CHECK(to[static_cast<std::size_t>(j)] == expected, "element %d: %d", j, to[static_cast<std::size_t>(j)]);
  }
  MPI_Type_free(&type);
  MPI_Comm_free(&alone);
}

// Two threads ask for the status of one receive: both may read the data when they are told.
void ask_in_threads() {
  constexpr int kInts = 1'000'000, kRounds = 8;
  MPI_Datatype type;
  MPI_Type_vector(kInts, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  std::vector<int> data(2 * kInts);
  for (int round = 0; round < kRounds; ++round) {
    std::fill(data.begin(), data.end(), rank == 0 ? round : -1);
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 1) MPI_Irecv(data.data(), 1, type, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) MPI_Isend(data.data(), 1, type, 1, 0, MPI_COMM_WORLD, &request);
    const auto ask = [&] {
      MPI_Status status;
      int count = 0;
      for (int flag = 0; flag == 0; std::this_thread::yield()) MPI_Request_get_status(request, &flag, &status);
      MPI_Get_count(&status, type, &count);
      CHECK(count == 1 && data[2 * kInts - 2] == round, "round %d: %d of 1, last element %d", round, count,
            data[2 * kInts - 2]);
    };
    if (rank == 1) {
      std::thread other(ask);
      ask();
      other.join();
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&type);
}

// One thread starts a persistent receive, and another one tests it all the time: before, meanwhile and after.
void start_and_test() {
  constexpr int kRounds = 300;
  MPI_Datatype type;
  MPI_Type_vector(kLength, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  std::vector<int> data(2 * kLength, -1);
  if (rank == 0) {
    for (int round = 0; round < kRounds; ++round) {
      std::fill(data.begin(), data.end(), round);
      MPI_Send(data.data(), 1, type, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(nullptr, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  } else {
    MPI_Request request;
    MPI_Recv_init(data.data(), 1, type, 0, 0, MPI_COMM_WORLD, &request);
    std::atomic<int> received{0};
    std::thread tester([&] {
      for (MPI_Request same = request; received < kRounds;) {
        MPI_Status status;
        status.MPI_SOURCE = MPI_ANY_SOURCE;
        int flag = 0;
        MPI_Test(&same, &flag, &status);
        if (flag == 0 || status.MPI_SOURCE != 0) continue;  // it was not started
        const int round = received;
        CHECK(data[0] == round && data[2 * kLength - 2] == round, "round %d: %d ... %d", round, data[0],
              data[2 * kLength - 2]);
        MPI_Send(nullptr, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
        ++received;
      }
    });
    for (int round = 0; round < kRounds; ++round) {
      while (received < round) std::this_thread::yield();
      MPI_Start(&request);
    }
    tester.join();
    MPI_Request_free(&request);
  }
  MPI_Type_free(&type);
}

// Open MPI has one handle for all that has completed at once: collectives of a single process, and sends to nobody.
void share_a_handle() {
  constexpr int kInts = 500'000, kRounds = 40;
  MPI_Comm own, others;
  MPI_Comm_dup(MPI_COMM_SELF, &own);
  MPI_Comm_dup(MPI_COMM_SELF, &others);
  MPI_Datatype type;
  MPI_Type_vector(kInts, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  std::vector<int> from(2 * kInts), to(2 * kInts);
  std::atomic<bool> is_over{false};
  std::thread other([&] {
    for (int nothing = 0; !is_over;) {
      MPI_Request request;
      MPI_Isend(&nothing, 1, MPI_INT, MPI_PROC_NULL, 0, others, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  });
  for (int round = 0; round < kRounds; ++round) {
    std::fill(from.begin(), from.end(), round);
    std::fill(to.begin(), to.end(), -1);
    MPI_Request request;
    MPI_Iallgather(from.data(), 1, type, to.data(), 1, type, own, &request);
    for (volatile int k = 0; k < 1000 * (round % 20);) k = k + 1;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(to[0] == round && to[2 * kInts - 2] == round, "round %d: %d ... %d", round, to[0], to[2 * kInts - 2]);
  }
  is_over = true;
  other.join();
  MPI_Type_free(&type);
  MPI_Comm_free(&own);
  MPI_Comm_free(&others);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "threads";
  // With more, MPICH 5.0.2 aborts where the callback calls it.
  Twin twin(&argc, &argv, what == "callback" ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE);
  rank = twin.rank();
  if (what == "callback") {
    in_callback();
  } else if (what == "asked") {
    ask_in_threads();
  } else if (what == "started") {
    start_and_test();
  } else if (what == "shared") {
    share_a_handle();
  } else {
    in_threads(rank, argc > 2 ? std::atoi(argv[2]) : 100);
  }
  const auto& layer = twin.layer();
  const long long packed = layer.accelerated("MPI_Isend") + layer.accelerated("MPI_Iallgather") +
                           layer.accelerated("MPI_Send") + layer.accelerated("MPI_Start");
  CHECK(packed > 0 || (what == "asked" && rank == 1), "nothing was packed");
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

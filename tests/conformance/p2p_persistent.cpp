// Persistent sends through shared memory: many rounds of one request, alone and several at a time, with the layer
// switched off and on between them; cancelled and freed while they are under way; of a freed communicator.
// usage: p2p_persistent [WHAT]
#include "p2p_pair.hpp"

using namespace conformance;

namespace {

constexpr int kBytes = 200'000, kRequests = 3;

// What the request `k` sends and receives.
std::unique_ptr<Buffer> buffer_of(int k) {
  constexpr Layout kSent[] = {Layout::kColumn, Layout::kMany, Layout::kReversed};
  constexpr Layout kReceived[] = {Layout::kContiguous, Layout::kReversed, Layout::kColumn};
  return ints((rank == kSender ? kSent : kReceived)[k], kBytes + 4000 * k);
}

// The same requests in each round; the receives are not persistent in every second program.
void rounds() {
  for (const bool both : {true, false}) {
    std::vector<std::unique_ptr<Buffer>> buffers;
    std::vector<MPI_Request> list(kRequests, MPI_REQUEST_NULL);
    for (int k = 0; k < kRequests; ++k) {
      buffers.push_back(buffer_of(k));
      Buffer& one = *buffers.back();
      if (rank == kSender) {
        const auto init = k == 1 ? MPI_Rsend_init : MPI_Send_init;
        init(one.address(), one.count(), one.type(), kReceiver, k, pair, &list[k]);
      } else if (both) {
        MPI_Recv_init(one.address(), one.count(), one.type(), kSender, k, pair, &list[k]);
      }
    }
    tally.restart();
    for (int round = 0; round < 40; ++round) {
      const std::uint64_t seed = static_cast<unsigned>(round);
      if (rank == kReceiver && both) MPI_Startall(kRequests, list.data());
      for (int k = 0; k < kRequests && rank == kReceiver && !both; ++k) {
        Buffer& one = *buffers[static_cast<std::size_t>(k)];
        MPI_Irecv(one.address(), one.count(), one.type(), kSender, k, pair, &list[static_cast<std::size_t>(k)]);
      }
      meet();  // for the ready send
      if (rank == kSender) {
        for (int k = 0; k < kRequests; ++k)
          buffers[static_cast<std::size_t>(k)]->write(seed + static_cast<unsigned>(k));
        if (round % 2 == 0) {
          MPI_Startall(kRequests, list.data());
        } else {
          for (MPI_Request& one : list) MPI_Start(&one);
        }
        for (int k = 0; k < kRequests; ++k) tally.sends(true);
      }
      if (round % 3 == 0) {
        MPI_Waitall(kRequests, list.data(), MPI_STATUSES_IGNORE);
      } else if (round % 3 == 1) {
        for (MPI_Request& one : list) MPI_Wait(&one, MPI_STATUS_IGNORE);
      } else {
        for (int done = 0; done < kRequests;) {
          int count, indices[kRequests];
          MPI_Testsome(kRequests, list.data(), &count, indices, MPI_STATUSES_IGNORE);
          done += std::max(count, 0);
        }
      }
      for (int k = 0; k < kRequests; ++k) {
        Buffer& one = *buffers[static_cast<std::size_t>(k)];
        if (rank == kSender) {
          one.write(1'000'000);  // it is the program's again
        } else {
          one.expect(seed + static_cast<unsigned>(k), kBytes / 4 + 1000 * k, "round " + std::to_string(round));
          tally.receives(true);
        }
      }
    }
    tally.expect_all("rounds");
    for (MPI_Request& one : list) {
      if (one != MPI_REQUEST_NULL) MPI_Request_free(&one);
    }
  }
  expect_pairing(10, "after the rounds");  // all chunks are back
}

// MPI_Request_free before the message has come, and of a communicator that the program has freed: both go on.
void freed() {
  for (int round = 0; round < 20; ++round) {
    MPI_Comm own;
    MPI_Comm_dup(pair, &own);
    const auto one = buffer_of(0);
    MPI_Request request;
    if (rank == kSender) {
      MPI_Send_init(one->address(), one->count(), one->type(), kReceiver, 5, own, &request);
      MPI_Comm_free(&own);
      for (int start = 0; start < 3; ++start) {
        one->write(static_cast<unsigned>(start));
        MPI_Start(&request);
        if (start < 2) MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
      MPI_Request_free(&request);
      CHECK(request == MPI_REQUEST_NULL, "freed");
      meet();
    } else {
      if (round % 2 == 0) MPI_Recv_init(one->address(), one->count(), one->type(), kSender, 5, own, &request);
      for (int start = 0; start < 3; ++start) {
        if (round % 2 == 0) {
          MPI_Start(&request);
          MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
          MPI_Recv(one->address(), one->count(), one->type(), kSender, 5, own, MPI_STATUS_IGNORE);
        }
        one->expect(static_cast<unsigned>(start), kBytes / 4, "freed");
      }
      if (round % 2 == 0) MPI_Request_free(&request);
      MPI_Comm_free(&own);
      meet();
    }
  }
  expect_pairing(10, "after freed requests");
}

// A send that is cancelled has come, or never comes; the request serves again.
void cancelled() {
  const auto one = buffer_of(0);
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == kSender) MPI_Send_init(one->address(), one->count(), one->type(), kReceiver, 6, pair, &request);
  for (int round = 0; round < 20; ++round) {
    int withdrawn = 0;
    if (rank == kSender) {
      one->write(static_cast<unsigned>(round));
      MPI_Status status = unset_status();
      MPI_Start(&request);
      MPI_Cancel(&request);
      MPI_Wait(&request, &status);
      MPI_Test_cancelled(&status, &withdrawn);
    }
    MPI_Bcast(&withdrawn, 1, MPI_INT, kSender, pair);
    if (rank == kReceiver && withdrawn == 0) {
      MPI_Recv(one->address(), one->count(), one->type(), kSender, 6, pair, MPI_STATUS_IGNORE);
      one->expect(static_cast<unsigned>(round), kBytes / 4, "cancelled");
    }
  }
  if (rank == kSender) MPI_Request_free(&request);
  expect_pairing(10, "after cancelled sends");
}

}  // namespace

int main(int argc, char** argv) {
  constexpr Scenario kScenarios[] = {{"rounds", rounds}, {"freed", freed}, {"cancelled", cancelled}};
  return run_scenarios(argc, argv, kScenarios);
}

// What a probe does not ask for, while messages through shared memory are on their way: it stays where the library has
// it. usage: p2p_unasked [WHAT]
#include <unistd.h>

#include "p2p_pair.hpp"

using namespace conformance;

namespace {

constexpr int kBytes = 64'000, kTag = 5, kReady = 1, kOther = 99;

// The sender's message, which the receiver receives after `meanwhile`.
template <class Meanwhile>
void with_one_on_its_way(Meanwhile&& meanwhile) {
  MPI_Request request = MPI_REQUEST_NULL;
  const auto out = ints(Layout::kColumn, kBytes);
  if (rank == kSender) {
    out->write(3);
    MPI_Isend(out->address(), out->count(), out->type(), kReceiver, kTag, pair, &request);
    tally.sends(out->is_pairable());
  }
  meanwhile();
  if (rank == kReceiver) receive(kBytes, 3, kTag, "after probes for another one");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  tally.expect_all("sent before probes");
}

// Once all has come, and without a call of MPI before: what a call brings after the header is looked at no more, for
// then nothing is on its way.
void probe_for_another() {
  usleep(300'000);
  for (int k = 0; k < 10; ++k) {
    int flag = -1;
    MPI_Iprobe(kSender, kOther, pair, &flag, MPI_STATUS_IGNORE);
    CHECK(flag == 0, "a message with tag %d", kOther);
  }
}

// Open MPI makes these by messages with the program's tag, on the program's communicator.
void made() {
  MPI_Comm inter, both;
  MPI_Group group;
  with_one_on_its_way([&] {
    if (rank == kReceiver) probe_for_another();
    MPI_Intercomm_create(MPI_COMM_SELF, 0, pair, 1 - rank, 7, &inter);
  });
  MPI_Comm_free(&inter);
  MPI_Comm_group(pair, &group);
  MPI_Comm_create_group(pair, group, 7, &both);
  MPI_Comm_free(&both);
  MPI_Group_free(&group);
}

// As long as a header; the first receive of any of it completes a synchronous send.
void synchronous() {
  constexpr int kHeaderBytes = 3840, kLast = 2;
  const auto out = ints(Layout::kContiguous, kHeaderBytes);
  with_one_on_its_way([&] {
    if (rank == kSender) {
      MPI_Request request;
      out->write(4);
      MPI_Issend(out->address(), out->count(), out->type(), kReceiver, kTag + 1, pair, &request);
      MPI_Recv(nullptr, 0, MPI_BYTE, kReceiver, kReady, pair, MPI_STATUS_IGNORE);
      int flag = -1;
      for (int k = 0; k < 100; ++k) {
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        CHECK(flag == 0, "a synchronous send completed before it was received");
        usleep(1000);
      }
      MPI_Send(nullptr, 0, MPI_BYTE, kReceiver, kLast, pair);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      probe_for_another();
      MPI_Send(nullptr, 0, MPI_BYTE, kSender, kReady, pair);
      MPI_Recv(nullptr, 0, MPI_BYTE, kSender, kLast, pair, MPI_STATUS_IGNORE);
      receive(kHeaderBytes, 4, kTag + 1, "a synchronous send", Layout::kContiguous);
      tally.receives(false);
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  return run_scenarios(argc, argv, {{"made", made}, {"synchronous", synchronous}});
}

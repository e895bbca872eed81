// Messages through shared memory whose receives are too small, cancelled or freed, and sends that are.
// usage: p2p_ends [WHAT]
#include <chrono>
#include <thread>

#include "callbacks.hpp"
#include "p2p_pair.hpp"

using namespace conformance;

namespace {

int handled = 0, handled_class = MPI_SUCCESS;

void handler(MPI_Comm*, int* code, ...) {
  ++handled;
  handled_class = test::error_class(*code);
}

// Receives into `in` in one of the ways that there are; returns the class of the error.
constexpr int kWays = 13;
int receive_too_small(int way, Buffer& in, int tag, MPI_Status* status) {
  MPI_Request list[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Request& request = list[1];
  int code = MPI_SUCCESS, flag = 0, index = -77, indices[3];
  MPI_Status statuses[3] = {unset_status(), unset_status(), unset_status()};
  for (MPI_Status& each : statuses) each.MPI_ERROR = MPI_SUCCESS;
  handled = 0;
  *status = unset_status();
  const auto start = [&](bool persistent) {
    if (!persistent) return MPI_Irecv(in.address(), in.count(), in.type(), kSender, tag, pair, &request);
    MPI_Recv_init(in.address(), in.count(), in.type(), MPI_ANY_SOURCE, tag, pair, &request);
    return MPI_Start(&request);
  };
  const auto is_over = [&] { return code != MPI_SUCCESS || handled != 0 || flag != 0; };
  if (way >= 3) start(way >= 11);
  switch (way) {
    case 0:
      code = MPI_Recv(in.address(), in.count(), in.type(), MPI_ANY_SOURCE, tag, pair, status);
      break;
    case 1:
      code = MPI_Sendrecv(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 1, in.address(), in.count(), in.type(), kSender, tag,
                          pair, status);
      break;
    case 2:
      code = MPI_Sendrecv_replace(in.address(), in.count(), in.type(), MPI_PROC_NULL, 1, kSender, tag, pair, status);
      break;
    case 3:
    case 11:
      code = MPI_Wait(&request, status);
      break;
    case 4:
    case 12:
      while (!is_over()) code = MPI_Test(&request, &flag, status);
      break;
    case 5:
      code = MPI_Waitany(3, list, &index, status);
      break;
    case 6:
      while (!is_over()) code = MPI_Testany(3, list, &index, &flag, status);
      break;
    case 7:
      code = MPI_Waitall(3, list, statuses);
      break;
    case 8:
      while (!is_over()) code = MPI_Testall(3, list, &flag, statuses);
      break;
    case 9:
      code = MPI_Waitsome(3, list, &flag, indices, statuses);
      break;
    default:
      while (!is_over()) code = MPI_Testsome(3, list, &flag, indices, statuses);
  }
  if (way >= 11) {
    CHECK(request != MPI_REQUEST_NULL, "a persistent request is gone");
    MPI_Request_free(&request);
  }
  CHECK(request == MPI_REQUEST_NULL, "way %d: the request of a truncated receive is left", way);
  const bool is_list = way >= 7 && way <= 10;
  if (is_list) *status = statuses[way <= 8 ? 1 : 0];
  // MPICH returns MPI_SUCCESS where a handler of the program's returns.
  const int error = handled != 0 ? handled_class : test::error_class(code);
  return error == MPI_ERR_IN_STATUS && is_list ? test::error_class(status->MPI_ERROR) : error;
}

// Without any layer, MPICH and Intel MPI return MPI_SUCCESS where MPI_Recv or MPI_Start finds a short message which is
// too long for the receive: such is a header.
bool may_be_silent(int way, int room) {
  return !is_open_mpi && (way <= 2 || way >= 11) && room < 3840 && has_shared_memory();
}

// Without any layer, Open MPI writes a message past the end of a contiguous buffer that is too small: so it does with a
// header.
// Receives that are too small: an error of this receive, and of nothing else.
void truncated() {
  MPI_Errhandler own;
  MPI_Comm_create_errhandler(handler, &own);
  set_handlers(own);
  int round = 0;
  for (int way = 0; way < kWays; ++way) {
    for (const Layout layout : {Layout::kContiguous, Layout::kColumn}) {
      for (const int room : {400, 3836, 3840, 8000, 69'996}) {
        for (const bool waits : {false, true}) {
          const Layout sent = ++round % 4 == 3 ? Layout::kContiguous : Layout::kColumn;  // which is not paired
          const bool overruns = room < 3840 || !has_shared_memory() || sent == Layout::kContiguous;
          if (is_open_mpi && layout == Layout::kContiguous && overruns) continue;
          const std::string what = "way " + std::to_string(way) + ", " + std::to_string(room) + " bytes of layout " +
                                   std::to_string(static_cast<int>(layout)) + (waits ? ", there before" : "");
          const std::uint64_t seed = static_cast<unsigned>(round);
          if (waits) meet();
          if (rank == kSender) {
            const auto out = ints(sent, 70'000);
            out->write(seed);
            MPI_Request request;
            MPI_Isend(out->address(), out->count(), out->type(), kReceiver, 3, pair, &request);
            tally.sends(out->is_pairable());
            if (waits) meet();
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            send(50'000, seed, 4);
            continue;
          }
          if (waits) meet();
          const bool paired = is_pairable(Basic::kInts, sent, 17'500);
          const auto in = ints(layout, room);
          MPI_Status status;
          const int error = receive_too_small(way, *in, 3, &status);
          CHECK(error == MPI_ERR_TRUNCATE || (may_be_silent(way, room) && error == MPI_SUCCESS), "%s: class %d",
                what.c_str(), error);
          CHECK(handled <= 1, "%s: the handler was called %d times", what.c_str(), handled);
          if (paired && room >= 3840) {
            // What there is room for.
            in->expect(seed, room / 4, what);
            CHECK(status.MPI_SOURCE == kSender && status.MPI_TAG == 3, "%s: from %d with tag %d", what.c_str(),
                  status.MPI_SOURCE, status.MPI_TAG);
            // Intel MPI counts what it delivers, the others what was sent.
            in->expect_count(status, library_is("Intel") ? room / 4 : 17'500, what);
          }
          if (layout == Layout::kColumn || !is_open_mpi) in->expect_gaps(what);
          // Whether the library says so before or the layer looks at it.
          tally.receives(paired && room >= 3840);
          handled = 0;
          receive(50'000, seed, 4, what + ": the next");
        }
      }
    }
  }
  meet();
  tally.expect_all("truncated");
  set_handlers(MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&own);
}

// More of them than there is shared memory for: it is given back, but for those whose receive has less room than a
// header, of which nobody knows.
void truncated_often() {
  set_handlers(MPI_ERRORS_RETURN);
  for (const Layout layout : {Layout::kColumn, Layout::kContiguous}) {
    for (const int room : {40'000, 3840}) {
      if (is_open_mpi && layout == Layout::kContiguous && !has_shared_memory()) continue;
      for (int k = 0; k < 100; ++k) {
        // One at a time, so that the memory which is given back suffices.
        meet();
        if (rank == kSender) {
          send(3'000'000, 1, 3);
          continue;
        }
        const auto in = ints(layout, room);
        MPI_Status status;
        const int error = receive_too_small(k % kWays, *in, 3, &status);
        CHECK(error == MPI_ERR_TRUNCATE || may_be_silent(k % kWays, room), "truncated message %d: class %d", k, error);
      }
      if (rank == kSender) tally.expect_all("messages truncated to " + std::to_string(room) + " bytes");
      expect_pairing(20, "after truncated messages");
    }
  }
  set_handlers(MPI_ERRORS_ARE_FATAL);
}

// A receive is cancelled before its message comes, and while it comes.
void cancelled_receives() {
  for (int round = 0; round < 60; ++round) {
    const bool is_sent_before = round % 2 == 0, persistent = round % 3 == 0;
    const Layout layout = round % 4 < 2 ? Layout::kColumn : Layout::kContiguous;
    meet();
    if (rank == kSender) {
      if (!is_sent_before) meet();
      send(100'000, 5, 6);
      meet();
      continue;
    }
    const auto in = ints(layout, 100'000), other = ints(layout, 100'000);
    MPI_Request request;
    MPI_Status status = unset_status();
    if (persistent) {
      MPI_Recv_init(in->address(), in->count(), in->type(), kSender, 6, pair, &request);
      MPI_Start(&request);
    } else {
      MPI_Irecv(in->address(), in->count(), in->type(), MPI_ANY_SOURCE, 6, pair, &request);
    }
    if (round % 5 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    MPI_Cancel(&request);
    if (!is_sent_before && round % 4 < 2) meet();
    MPI_Wait(&request, &status);
    if (!is_sent_before && round % 4 >= 2) meet();
    if (persistent) MPI_Request_free(&request);
    int cancelled = -1;
    MPI_Test_cancelled(&status, &cancelled);
    const std::string what = "cancelled receive, round " + std::to_string(round);
    CHECK(is_sent_before || cancelled == 1, "%s: a receive without a message is not cancelled", what.c_str());
    if (cancelled != 0) {
      in->expect(0, 0, what + ": nothing came");
      receive(100'000, 5, 6, what + ": the next");
    } else {
      expect_envelope(status, kSender, 6, what);
      in->expect_count(status, 25'000, what);
      in->expect(5, 25'000, what);
      tally.receives(is_pairable(Basic::kInts, Layout::kColumn, 25'000));
    }
    meet();
  }
  tally.expect_all("cancelled receives");
}

// Whether a library cancels sends is its own affair: the receiver is told what became of it.
void cancelled_sends() {
  if (is_open_mpi) return expect_pairing(5, "instead of cancelled sends");  // it waits for the receiver
  for (int round = 0; round < 20; ++round) {
    meet();
    int cancelled = 0;
    if (rank == kSender) {
      const auto out = ints(Layout::kColumn, 64'000);
      out->write(8);
      MPI_Request request;
      MPI_Status status;
      (round % 2 == 0 ? MPI_Isend : MPI_Irsend)(out->address(), out->count(), out->type(), kReceiver, 6, pair,
                                                &request);
      MPI_Cancel(&request);
      MPI_Wait(&request, &status);
      MPI_Test_cancelled(&status, &cancelled);
      MPI_Send(&cancelled, 1, MPI_INT, kReceiver, 7, pair);
      continue;
    }
    const auto in = ints(Layout::kReversed, 64'000);
    MPI_Request request;
    if (round % 2 == 1) MPI_Irecv(in->address(), in->count(), in->type(), kSender, 6, pair, &request);
    MPI_Recv(&cancelled, 1, MPI_INT, kSender, 7, pair, MPI_STATUS_IGNORE);
    if (cancelled != 0 && round % 2 == 1) MPI_Cancel(&request);
    if (cancelled == 0 && round % 2 == 0) MPI_Irecv(in->address(), in->count(), in->type(), kSender, 6, pair, &request);
    if (cancelled == 0 || round % 2 == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (cancelled == 0) in->expect(8, 16'000, "a send that was not cancelled");
  }
  expect_pairing(5, "after cancelled sends");
}

// The program frees the requests. That the message came, another one tells.
void freed() {
  for (int round = 0; round < 40; ++round) {
    const bool sends_nonblocking = round % 2 == 0, frees_receive = round % 4 < 3, persistent = round % 3 == 2;
    const Layout layout = round % 5 < 3 ? Layout::kColumn : Layout::kContiguous;
    const std::uint64_t seed = static_cast<unsigned>(round);
    const int bytes = round % 7 == 0 ? 3'000'000 : 90'000;
    int token = 0;
    if (rank == kSender) {
      meet();
      const auto out = ints(Layout::kBlocks, bytes);
      out->write(seed);
      if (sends_nonblocking) {
        MPI_Request request;
        MPI_Isend(out->address(), out->count(), out->type(), kReceiver, 2, pair, &request);
        out->free_type();
        MPI_Request_free(&request);
        CHECK(request == MPI_REQUEST_NULL, "a freed request");
      } else {
        MPI_Send(out->address(), out->count(), out->type(), kReceiver, 2, pair);
      }
      tally.sends(is_pairable(Basic::kInts, Layout::kBlocks, bytes / 4));
      MPI_Send(&token, 1, MPI_INT, kReceiver, 3, pair);
      MPI_Recv(&token, 1, MPI_INT, kReceiver, 3, pair, MPI_STATUS_IGNORE);  // its buffer may go
      continue;
    }
    const auto in = ints(layout, bytes);
    MPI_Request request;
    const auto start = [&] {
      if (persistent) {
        MPI_Recv_init(in->address(), in->count(), in->type(), kSender, 2, pair, &request);
        MPI_Start(&request);
      } else {
        MPI_Irecv(in->address(), in->count(), in->type(), MPI_ANY_SOURCE, 2, pair, &request);
      }
    };
    if (frees_receive) {
      start();
      MPI_Request_free(&request);
    }
    meet();
    MPI_Recv(&token, 1, MPI_INT, kSender, 3, pair, MPI_STATUS_IGNORE);
    if (!frees_receive) {
      start();
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      if (persistent) MPI_Request_free(&request);
    }
    // A message that the library transfers with the sender's help takes as long as it takes.
    for (int k = 0; k < 200 && frees_receive && !in->has(seed, bytes / 4); ++k) {
      int flag = 0;
      MPI_Request other;
      MPI_Irecv(&token, 1, MPI_INT, kSender, 99, pair, &other);
      MPI_Test(&other, &flag, MPI_STATUS_IGNORE);
      MPI_Cancel(&other);
      MPI_Wait(&other, MPI_STATUS_IGNORE);
      std::this_thread::sleep_for(std::chrono::milliseconds(k / 4));
    }
    in->expect(seed, bytes / 4, "freed, round " + std::to_string(round));
    tally.receives(is_pairable(Basic::kInts, Layout::kBlocks, bytes / 4));
    MPI_Send(&token, 1, MPI_INT, kSender, 3, pair);
  }
  tally.expect_all("freed");
}

// What was sent before MPI_Finalize is received in it: in the delete callback of an attribute of MPI_COMM_SELF, which
// MPI calls before anything else ends.
MPI_Comm last_comm;
std::unique_ptr<Buffer> last_sent;
int receive_in_finalize(MPI_Comm, int, void* requests, void*) {
  pair = last_comm;
  constexpr Layout kLayouts[] = {Layout::kReversed, Layout::kContiguous, Layout::kBlocks};
  for (const Layout layout : kLayouts) {
    if (rank == kReceiver) receive(80'000, 6, 5, "in MPI_Finalize", layout);
  }
  if (rank == kSender) MPI_Waitall(3, static_cast<MPI_Request*>(requests), MPI_STATUSES_IGNORE);
  last_sent.reset();
  return MPI_SUCCESS;
}
void finalizing() {
  static MPI_Request requests[3];
  call_in_finalize(receive_in_finalize, requests);
  MPI_Comm_dup(pair, &last_comm);
  if (rank == kSender) {
    last_sent = ints(Layout::kColumn, 80'000);
    last_sent->write(6);
    for (MPI_Request& request : requests) {
      MPI_Isend(last_sent->address(), last_sent->count(), last_sent->type(), kReceiver, 5, last_comm, &request);
      tally.sends(last_sent->is_pairable());
    }
    tally.expect_all("before MPI_Finalize");
  }
  meet();
}

const Scenario kScenarios[] = {
    {"truncated", truncated},
    {"truncated_often", truncated_often},
    {"cancelled_receives", cancelled_receives},
    {"cancelled_sends", cancelled_sends},
    {"freed", freed},
    {"finalizing", finalizing},  // the last one: it ends in MPI_Finalize
};

}  // namespace

int main(int argc, char** argv) {
  return run_scenarios(argc, argv, kScenarios);
}

// Arguments that a receive or a send through shared memory seldom has: types of which no commit is ever seen; and those
// that are errors, which must be told as without it. usage: p2p_arguments [WHAT]
#include <vector>

#include "p2p_pair.hpp"

using namespace conformance;

namespace {

constexpr int kDoubles = 8192;

double value(int seed, int k) {
  return seed * 100'000 + k;
}

// Doubles in a type that nobody commits; `which`: another one for each, for what was received once is known.
MPI_Datatype born_committed(int which) {
  MPI_Datatype type = MPI_DATATYPE_NULL, copy = MPI_DATATYPE_NULL;
  if (which % 4 < 2) {
    MPI_Type_dup(MPI_DOUBLE, &type);
  } else if (MPI_Type_create_f90_real(15, 40 + which, &type) != MPI_SUCCESS) {
    return MPI_DATATYPE_NULL;
  }
  if (which % 2 == 0) return type;
  MPI_Type_dup(type, &copy);
  if (which % 4 < 2) MPI_Type_free(&type);  // that of a precision is predefined
  return copy;
}

enum Receive { kRecv, kIrecv, kRecvInit, kSendrecv, kPosted, kProbed, kReceives };

void receive_by(int receive, std::vector<double>& in, MPI_Datatype type, MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Message message = MPI_MESSAGE_NULL;
  const int count = kDoubles;
  switch (receive) {
    case kRecv:
      MPI_Recv(in.data(), count, type, kSender, 5, pair, status);
      break;
    case kIrecv:
    case kPosted:
      MPI_Irecv(in.data(), count, type, MPI_ANY_SOURCE, 5, pair, &request);
      if (receive == kPosted) meet();
      MPI_Wait(&request, status);
      break;
    case kRecvInit:
      MPI_Recv_init(in.data(), count, type, kSender, 5, pair, &request);
      MPI_Start(&request);
      MPI_Wait(&request, status);
      MPI_Request_free(&request);
      break;
    case kSendrecv:
      MPI_Sendrecv(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, in.data(), count, type, kSender, 5, pair, status);
      break;
    default:
      MPI_Mprobe(kSender, 5, pair, &message, status);
      MPI_Mrecv(in.data(), count, type, &message, status);
  }
}

// Whatever is paired: a process that has probed is sent no more that way.
void born_committed_types() {
  MPI_Datatype column;
  MPI_Type_vector(kDoubles, 1, 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  int which = 0;
  for (int receive = 0; receive < kReceives; ++receive) {
    if (receive == kProbed) which += 2;  // a precision first, for only one is paired
    for (int kind = 0; kind < 4; ++kind, ++which) {
      const bool is_posted = receive == kPosted;
      if (rank == kSender) {
        std::vector<double> out(2 * kDoubles);
        for (int k = 0; k < kDoubles; ++k) out[static_cast<std::size_t>(2 * k)] = value(which, k);
        if (is_posted) meet();
        MPI_Request request;
        MPI_Isend(out.data(), 1, column, kReceiver, 5, pair, &request);
        tally.sends(receive != kProbed || kind == 0);
        if (!is_posted) meet();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      } else {
        MPI_Datatype type = born_committed(which);
        std::vector<double> in(kDoubles, -1);
        MPI_Status status = unset_status();
        if (!is_posted) meet();
        receive_by(receive, in, type, &status);
        tally.receives(receive != kProbed || kind == 0);
        int count = -1;
        MPI_Get_count(&status, type, &count);
        CHECK(count == kDoubles, "receive %d, type %d: %d elements", receive, kind, count);
        int k = 0;
        while (k < kDoubles && in[static_cast<std::size_t>(k)] == value(which, k)) ++k;
        CHECK(k == kDoubles, "receive %d, type %d: element %d is %g", receive, kind, k,
              in[static_cast<std::size_t>(k < kDoubles ? k : 0)]);
        if (which % 4 < 2 || which % 2 == 1) MPI_Type_free(&type);
      }
      meet();
    }
  }
  tally.expect_all("types that are born committed");
  MPI_Type_free(&column);
}

void expect_class(int code, int wanted, const char* what) {
  CHECK(test::error_class(code) == wanted, "%s: class %d, not %d", what, test::error_class(code), wanted);
}

// Counts the wrong probes. On MPICH a call whose handler returns is a success: a probe that asks again never ends.
int raised = 0;
void count_wrong(MPI_Comm*, int*, ...) {
  CHECK(++raised <= 2, "2 wrong probes called the error handler %d times", raised);
}

// A probe whose arguments are wrong, while a message through shared memory is on its way: its receive is not completed,
// and the error handler is called once.
void wrong_probes() {
  if (rank == kSender) {
    meet();
    send(64'000, 3, 4);
    meet();
    return;
  }
  const auto in = ints(Layout::kReversed, 64'000);
  MPI_Request request;
  MPI_Irecv(in->address(), in->count(), in->type(), kSender, 4, pair, &request);
  meet();
  meet();
  MPI_Comm_set_errhandler(pair, MPI_ERRORS_RETURN);
  MPI_Status status;
  MPI_Message message;
  int flag = 0;
  expect_class(MPI_Iprobe(99, 4, pair, &flag, &status), MPI_ERR_RANK, "MPI_Iprobe of a rank that is not there");
  expect_class(MPI_Probe(99, 4, pair, &status), MPI_ERR_RANK, "MPI_Probe of it");
  expect_class(MPI_Improbe(99, 4, pair, &flag, &message, &status), MPI_ERR_RANK, "MPI_Improbe of it");
  expect_class(MPI_Mprobe(99, 4, pair, &message, &status), MPI_ERR_RANK, "MPI_Mprobe of it");
  expect_class(MPI_Probe(kSender, -77, pair, &status), MPI_ERR_TAG, "MPI_Probe of a wrong tag");
  MPI_Errhandler counts;
  MPI_Comm_create_errhandler(count_wrong, &counts);
  MPI_Comm_set_errhandler(pair, counts);
  MPI_Errhandler_free(&counts);
  MPI_Probe(99, 4, pair, &status);
  MPI_Iprobe(99, 4, pair, &flag, &status);
  CHECK(raised == 2, "2 wrong probes called the error handler %d times", raised);
  MPI_Comm_set_errhandler(pair, MPI_ERRORS_ARE_FATAL);
  MPI_Wait(&request, &status);
  in->expect_count(status, 16'000, "after wrong probes");
  in->expect(3, 16'000, "after wrong probes");
}

// An active persistent send that is started again stays the one that it is.
void started_twice() {
  constexpr int kRounds = 5;
  if (rank == kReceiver) {
    meet();
    for (int round = 0; round < 2 * kRounds; ++round) receive(64'000, 40 + round, 4, "after a second start");
    return;
  }
  const auto out = ints(Layout::kColumn, 64'000);
  MPI_Request request;
  MPI_Send_init(out->address(), out->count(), out->type(), kReceiver, 4, pair, &request);
  set_handlers(MPI_ERRORS_RETURN);
  meet();
  for (int round = 0; round < 2 * kRounds; ++round) {
    out->write(40 + round);
    MPI_Start(&request);
    if (round % 2 == 0) expect_class(MPI_Start(&request), MPI_ERR_REQUEST, "a second MPI_Start");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    tally.sends(true);
  }
  set_handlers(MPI_ERRORS_ARE_FATAL);
  MPI_Request_free(&request);
  tally.expect_all("started twice");
}

// Calls that send and receive, with a wrong tag of what is sent: what they would receive stays for the next receive.
void wrong_send_tags() {
  constexpr int kWays = 2;
  if (rank == kSender) {
    for (int way = 0; way < kWays; ++way) {
      const auto out = ints(Layout::kContiguous, 4000);
      out->write(60 + way);
      MPI_Send(out->address(), out->count(), out->type(), kReceiver, 4, pair);
      meet();
      meet();
    }
    return;
  }
  for (int way = 0; way < kWays; ++way) {
    const auto out = ints(Layout::kColumn, 64'000), in = ints(Layout::kReversed, 64'000);
    out->write(50);
    meet();
    set_handlers(MPI_ERRORS_RETURN);
    const int code = way == 0 ? MPI_Sendrecv(out->address(), out->count(), out->type(), kSender, -77, in->address(),
                                             in->count(), in->type(), kSender, 4, pair, MPI_STATUS_IGNORE)
                              : MPI_Sendrecv_replace(out->address(), out->count(), out->type(), kSender, -77, kSender,
                                                     4, pair, MPI_STATUS_IGNORE);
    expect_class(code, MPI_ERR_TAG, way == 0 ? "MPI_Sendrecv" : "MPI_Sendrecv_replace");
    set_handlers(MPI_ERRORS_ARE_FATAL);
    receive(4000, 60 + way, 4, "after a wrong tag", Layout::kContiguous);
    meet();
  }
}

// The message is longer than the attached buffer, a header is not. Open MPI 5 waits for room that never comes.
void too_small_a_buffer() {
  if (rank == kSender && !is_open_mpi) {
    std::vector<char> room(8192 + MPI_BSEND_OVERHEAD);
    MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
    const auto out = ints(Layout::kColumn, 64'000);
    out->write(1);
    MPI_Comm_set_errhandler(pair, MPI_ERRORS_RETURN);
    const int code = MPI_Bsend(out->address(), out->count(), out->type(), kReceiver, 9, pair);
    CHECK(test::error_class(code) == MPI_ERR_BUFFER, "MPI_Bsend: class %d", test::error_class(code));
    MPI_Comm_set_errhandler(pair, MPI_ERRORS_ARE_FATAL);
    void* back;
    int bytes;
    MPI_Buffer_detach(&back, &bytes);
  }
  expect_pairing(3, "after a buffered send that failed");
}

}  // namespace

int main(int argc, char** argv) {
  return run_scenarios(argc, argv,
                       {{"buffer", too_small_a_buffer},
                        {"types", born_committed_types},
                        {"probes", wrong_probes},
                        {"started", started_twice},
                        {"tags", wrong_send_tags}});
}

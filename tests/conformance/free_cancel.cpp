// MPI_Request_free and MPI_Cancel on staged operations.
#include "twin.hpp"

using namespace conformance;

namespace {

// A pending receive is freed. The sender's later message says that the first one was delivered (MPI 4.1, 3.7.3: it was
// sent before, to the same receiver), and then the data must be there.
void freed_receive(Twin& twin, const Message& m, int how, Transcript& seen) {
  test::Field from = m.field(1), to = m.field(2);
  int token = 0;
  if (twin.rank() == 0) {
    MPI_Recv(&token, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Ssend(from.buffer(), m.count, m.type, 1, 5, MPI_COMM_WORLD);
    MPI_Send(&token, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
    return;
  }
  MPI_Request request;
  MPI_Irecv(to.buffer(), m.count, m.type, 0, 5, MPI_COMM_WORLD, &request);
  seen.note("code", MPI_Request_free(&request));
  seen.note("null", request == MPI_REQUEST_NULL);
  twin.half_time();
  MPI_Send(&token, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
  switch (how) {
    case 0:
      MPI_Recv(&token, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      break;
    case 1:
      MPI_Irecv(&token, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &request);
      MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
      break;
    default:
      MPI_Irecv(&token, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &request);
      for (int flag = 0; flag == 0;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  }
  seen.note_bytes("what came", to);
}

void freed_send(Twin& twin, const Message& m, Transcript& seen) {
  if (twin.rank() == 0) {
    test::Field from = m.field(1);
    MPI_Request request;
    int token;
    MPI_Isend(from.buffer(), m.count, m.type, 1, 5, MPI_COMM_WORLD, &request);
    seen.note("code", MPI_Request_free(&request));
    seen.note("null", request == MPI_REQUEST_NULL);
    // It came: the buffer may go.
    MPI_Recv(&token, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  test::Field to = m.field(2);
  MPI_Recv(to.buffer(), m.count, m.type, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int token = 0;
  MPI_Send(&token, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
  seen.note_bytes("what came", to);
}

// Nothing was sent: the cancel succeeds, nothing is written, and the message that comes next belongs to another receive.
void cancelled_receive(Twin& twin, const Message& m, Transcript& seen) {
  test::Field from = m.field(1), to = m.field(2), other = m.field(3);
  if (twin.rank() == 1) {
    MPI_Request request, again;
    MPI_Irecv(to.buffer(), m.count, m.type, 0, 5, MPI_COMM_WORLD, &request);
    seen.note("code", MPI_Cancel(&request));
    MPI_Irecv(other.buffer(), m.count, m.type, 0, 5, MPI_COMM_WORLD, &again);
    twin.half_time();
    MPI_Status status = marked_status();
    MPI_Wait(&request, &status);
    int cancelled = -1;
    MPI_Test_cancelled(&status, &cancelled);
    seen.note("cancelled", cancelled);
    MPI_Barrier(MPI_COMM_WORLD);
    status = marked_status();
    MPI_Wait(&again, &status);
    seen.note_status("the next", status, m.type);
    seen.note_bytes("nothing came", to);
    seen.note_bytes("what came", other);
    return;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(from.buffer(), m.count, m.type, 1, 5, MPI_COMM_WORLD);
}

// The message was there already: the cancel comes too late.
void cancelled_too_late(Twin&, const Message& m, Transcript& seen) {
  test::Field from = m.field(1), to = m.field(2);
  MPI_Request request;
  MPI_Status status = marked_status();
  MPI_Irecv(to.buffer(), m.count, m.type, 0, 5, MPI_COMM_SELF, &request);
  MPI_Send(from.buffer(), m.count, m.type, 0, 5, MPI_COMM_SELF);
  MPI_Cancel(&request);
  seen.note("code", MPI_Wait(&request, &status));
  seen.note_status("status", status, m.type);
  seen.note_bytes("what came", to);
}

}  // namespace

int main(int argc, char** argv) {
  Twin twin(&argc, &argv);
  twin.for_each_message(argc > 1 ? std::atoi(argv[1]) : 16, 5, [&](const Message& m) {
    const std::string s = " seed " + std::to_string(m.seed);
    for (int how = 0; how < 3; ++how) {
      twin.compare("freed receive " + std::to_string(how) + s,
                   [&](Transcript& seen) { freed_receive(twin, m, how, seen); });
    }
    twin.compare("freed send" + s, [&](Transcript& seen) { freed_send(twin, m, seen); });
    twin.compare("cancelled" + s, [&](Transcript& seen) { cancelled_receive(twin, m, seen); });
    twin.compare("cancelled too late" + s, [&](Transcript& seen) { cancelled_too_late(twin, m, seen); });
  });
  return 0;
}

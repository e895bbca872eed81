// Persistent requests that are freed, cancelled, truncated and used wrongly. Compiled with and without large counts.
#include "persistent.hpp"

using namespace conformance;

namespace {

#if HAS_COUNTED

// A receive is freed in its second activation: its data are there when a message says so that was sent after a
// synchronous send of theirs. How the receiver learns of that differs.
void freed_receive(Twin& twin, const Message& m, int how, Transcript& seen) {
  test::Field from = m.field(1), to = m.field(2);
  MPI_Request request;
  int token = 0;
  if (twin.rank() == 0) {
    COUNTED(MPI_Ssend_init)(from.buffer(), m.count, OwnType(m), 1, 5, MPI_COMM_WORLD, &request);
    for (int round = 0; round < 2; ++round) {
      refill(from, m.field(10 + round));
      MPI_Recv(&token, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    MPI_Send(&token, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
    return;
  }
  COUNTED(MPI_Recv_init)(to.buffer(), m.count, OwnType(m), 0, 5, MPI_COMM_WORLD, &request);
  for (int round = 0; round < 2; ++round) {
    refill(to, m.field(20 + round));
    MPI_Start(&request);
    if (round == 1) {
      seen.note("free", MPI_Request_free(&request));
      seen.note("null", request == MPI_REQUEST_NULL);
      twin.half_time();
    }
    MPI_Send(&token, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
    if (round == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (how == 0) {
    MPI_Recv(&token, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Request other;
    MPI_Irecv(&token, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &other);
    for (int flag = 0; flag == 0;) MPI_Test(&other, &flag, MPI_STATUS_IGNORE);
  }
  seen.note_bytes("what came", to);
}

void freed_send(Twin& twin, const Message& m, Transcript& seen) {
  int token = 0;
  if (twin.rank() == 0) {
    test::Field from = m.field(1);
    MPI_Request request;
    COUNTED(MPI_Send_init)(from.buffer(), m.count, OwnType(m), 1, 5, MPI_COMM_WORLD, &request);
    for (int round = 0; round < 2; ++round) {
      refill(from, m.field(10 + round));
      MPI_Start(&request);
      if (round == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    seen.note("free", MPI_Request_free(&request));
    seen.note("null", request == MPI_REQUEST_NULL);
    // It came: the buffer may go.
    MPI_Recv(&token, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  for (int round = 0; round < 2; ++round) {
    test::Field to = m.field(2);
    MPI_Recv(to.buffer(), m.count, m.type, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    seen.note_bytes("what came", to);
  }
  MPI_Send(&token, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
}

// Made and never started, or at rest when it is freed.
void freed_at_rest(Twin& twin, const Message& m, Transcript& seen) {
  test::Field field = m.field(1);
  for (int k = 0; k < 40; ++k) {
    MPI_Request requests[2];
    COUNTED(MPI_Recv_init)(field.buffer(), m.count, OwnType(m), twin.peer(), 5, MPI_COMM_WORLD, &requests[0]);
    COUNTED(MPI_Send_init)(field.buffer(), m.count, OwnType(m), twin.peer(), 5, MPI_COMM_WORLD, &requests[1]);
    if (k == 20) twin.half_time();
    for (MPI_Request& request : requests) {
      int flag = -1;
      MPI_Status status = marked_status();
      seen.note("test", MPI_Test(&request, &flag, &status));
      seen.note("flag", flag);
      seen.note_status("empty", status, m.type);
      seen.note("free", MPI_Request_free(&request));
      seen.note("null", request == MPI_REQUEST_NULL);
    }
  }
  seen.note_bytes("untouched", field);
}

// Nothing is written by a start that is cancelled; the next one receives.
void cancelled(Twin& twin, const Message& m, Transcript& seen) {
  test::Field from = m.field(1), to = m.field(2);
  if (twin.rank() == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(from.buffer(), m.count, m.type, 1, 5, MPI_COMM_WORLD);
    return;
  }
  MPI_Request request;
  COUNTED(MPI_Recv_init)(to.buffer(), m.count, OwnType(m), 0, 5, MPI_COMM_WORLD, &request);
  for (int round = 0; round < 2; ++round) {
    MPI_Start(&request);
    MPI_Status status = marked_status();
    if (round == 0) {
      seen.note("cancel", MPI_Cancel(&request));
    } else {
      MPI_Barrier(MPI_COMM_WORLD);
    }
    seen.note("wait", MPI_Wait(&request, &status));
    int flag = -1;
    MPI_Test_cancelled(&status, &flag);
    seen.note("cancelled", flag);
    if (round == 1) seen.note_status("status", status, m.type);
    seen.note_bytes("field", to);
    if (round == 0) twin.half_time();
  }
  MPI_Request_free(&request);
}

void note_class(Transcript& seen, const std::string& what, int code) {
  seen.note(what + ": class", test::error_class(code));
}

void wrong_use(Twin& twin, const Message& m, Transcript& seen) {
  test::Field field = m.field(1), from = m.field(2);
  const auto make = [&](const char* what, auto call) {
    MPI_Request request = MPI_REQUEST_NULL;
    note_class(seen, what, call(&request));
    seen.note(what + std::string(": no request"), request == MPI_REQUEST_NULL);
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  };
  const auto send = [&](Count count, MPI_Datatype type, int peer, int tag) {
    return [&, count, type, peer, tag](MPI_Request* request) {
      return COUNTED(MPI_Send_init)(field.buffer(), count, type, peer, tag, MPI_COMM_WORLD, request);
    };
  };
  const auto receive = [&](Count count, MPI_Datatype type, int peer, int tag) {
    return [&, count, type, peer, tag](MPI_Request* request) {
      return COUNTED(MPI_Recv_init)(field.buffer(), count, type, peer, tag, MPI_COMM_WORLD, request);
    };
  };
  make("count, send", send(-1, m.type, twin.peer(), 5));
  make("count, receive", receive(-1, m.type, twin.peer(), 5));
  make("rank, send", send(m.count, m.type, 99, 5));
  make("rank, receive", receive(m.count, m.type, 99, 5));
  make("tag, send", send(m.count, m.type, twin.peer(), -5));
  make("tag, receive", receive(m.count, m.type, twin.peer(), -5));
  make("type, send", send(m.count, MPI_DATATYPE_NULL, twin.peer(), 5));
  make("nobody, send", send(m.count, m.type, MPI_PROC_NULL, 5));
  make("nobody, receive", receive(m.count, m.type, MPI_PROC_NULL, 5));

  // What is active, and what is not persistent, cannot be started; what was refused comes to its end.
  MPI_Request requests[2];
  MPI_Irecv(field.buffer(), m.count, m.type, twin.peer(), 6, MPI_COMM_WORLD, &requests[0]);
  note_class(seen, "start of a nonblocking one", MPI_Start(&requests[0]));
  MPI_Send(from.buffer(), m.count, m.type, twin.peer(), 6, MPI_COMM_WORLD);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  seen.note_bytes("what came", field);
  MPI_Request null = MPI_REQUEST_NULL;
  note_class(seen, "start of none", MPI_Start(&null));
  COUNTED(MPI_Recv_init)(field.buffer(), m.count, OwnType(m), twin.peer(), 6, MPI_COMM_WORLD, &requests[0]);
  COUNTED(MPI_Send_init)(from.buffer(), m.count, OwnType(m), twin.peer(), 6, MPI_COMM_WORLD, &requests[1]);
  for (int round = 0; round < 2; ++round) {
    refill(field, m.field(50 + round));
    refill(from, m.field(60 + round));
    MPI_Start(&requests[0]);
    note_class(seen, "start of an active one", MPI_Start(&requests[0]));
    MPI_Start(&requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    seen.note_bytes("what came", field);
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

// A message too long for the receive, in the second of three rounds; its neighbour and the third round are as ever.
void truncated(Twin& twin, MPI_Comm comm, const Message& m, int how, Transcript& seen) {
  test::Field from = m.field(1), to = m.field(2), from2 = m.field(3), to2 = m.field(4);
  const Message twice{m.type, 2 * m.count, test::span_of(m.type, 2 * m.count), m.seed};
  test::Field more = twice.field(5);
  if (twin.rank() == 0) {
    for (int round = 0; round < 3; ++round) {
      MPI_Barrier(comm);
      MPI_Send(round == 1 ? more.buffer() : from.buffer(), round == 1 ? twice.count : m.count, m.type, 1, 5, comm);
      MPI_Send(from2.buffer(), m.count, m.type, 1, 6, comm);
    }
    return;
  }
  MPI_Request requests[2];
  COUNTED(MPI_Recv_init)(to.buffer(), m.count, OwnType(m), 0, 5, comm, &requests[0]);
  COUNTED(MPI_Recv_init)(to2.buffer(), m.count, OwnType(m), 0, 6, comm, &requests[1]);
  for (int round = 0; round < 3; ++round) {
    refill(to, m.field(20 + round));
    refill(to2, m.field(30 + round));
    MPI_Startall(2, requests);
    MPI_Barrier(comm);
    MPI_Status statuses[2] = {marked_status(), marked_status()};
    if (how == 0) {
      note_class(seen, "wait", MPI_Wait(&requests[0], &statuses[0]));
      note_class(seen, "other wait", MPI_Wait(&requests[1], &statuses[1]));
    } else {
      const int code = MPI_Waitall(2, requests, statuses);
      note_class(seen, "waitall", code);
      // The other one may be pending still.
      if (code != MPI_SUCCESS) {
        note_class(seen, "in the status", statuses[0].MPI_ERROR);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
      }
    }
    if (round != 1) {
      seen.note_status("status", statuses[0], m.type);
      seen.note_bytes("what came", to);
    } else {
      // It is at rest, and what the program has in its buffer is its own.
      refill(to, m.field(40));
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      seen.note_bytes("nothing came", to);
    }
    seen.note_bytes("the other", to2);
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

#endif

}  // namespace

int main(int argc, char** argv) {
#if !HAS_COUNTED
  (void)argc, (void)argv;
  std::puts("skipped: this library has no large counts");
  return kSkipped;
#else
  Twin twin(&argc, &argv);
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  twin.for_each_message(argc > 1 ? std::atoi(argv[1]) : 16, 9, [&](const Message& m) {
    const std::string s = " seed " + std::to_string(m.seed);
    const auto run = [&](const std::string& name, auto&& scenario) { twin.compare(name + s, scenario); };
    for (int how = 0; how < 2; ++how) {
      run("freed receive " + std::to_string(how), [&](Transcript& seen) { freed_receive(twin, m, how, seen); });
      run("truncated " + std::to_string(how), [&](Transcript& seen) { truncated(twin, own, m, how, seen); });
    }
    run("freed send", [&](Transcript& seen) { freed_send(twin, m, seen); });
    run("freed at rest", [&](Transcript& seen) { freed_at_rest(twin, m, seen); });
    run("cancelled", [&](Transcript& seen) { cancelled(twin, m, seen); });
    run("wrong use", [&](Transcript& seen) { wrong_use(twin, m, seen); });
  });
  MPI_Comm_free(&own);
  return 0;
#endif
}

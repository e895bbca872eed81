// Error classes and handlers of nonblocking and completing calls. (Blocking ones: tests/preload/errors_test.cpp too.)
// What is compared is whether the user's handler ran, for which communicator, with which class, what was returned, and
// that no byte beside the truncated receive's own changed.
#include "counted.hpp"
#include "twin.hpp"

using namespace conformance;

namespace {

int handled = 0, handled_class = 0;

void handler(MPI_Comm*, int* code, ...) {
  ++handled;
  handled_class = test::error_class(*code);
}

// The classes that a library gives a case may be several equal ones; only that they do not depend on the layer counts.
void note_error(Transcript& seen, const std::string& what, int code) {
  seen.note(what + ": class", test::error_class(code));
  seen.note(what + ": handler calls", handled);
  seen.note(what + ": class in the handler", handled_class);
  handled = handled_class = 0;
}

// A longer message than the receive has room for, completed in each way; its neighbours keep their data.
void truncated(Twin& twin, MPI_Comm comm, MPI_Datatype type, int room, int sent, int how, Transcript& seen) {
  constexpr int kNeighbours = 12;
  const test::Span span = test::span_of(type, sent);
  const int peer = twin.peer();
  if (twin.rank() == 0) {
    std::vector<test::Field> from;
    MPI_Request requests[kNeighbours + 1];
    for (int k = 0; k <= kNeighbours; ++k) from.emplace_back(span, 70 + k);
    for (int k = 0; k <= kNeighbours; ++k) {
      MPI_Isend(from[k].buffer(), k == kNeighbours / 2 ? sent : room, type, peer, k, comm, &requests[k]);
    }
    MPI_Waitall(kNeighbours + 1, requests, MPI_STATUSES_IGNORE);
    handled = handled_class = 0;
    return;
  }
  std::vector<test::Field> to;
  std::vector<MPI_Request> requests(kNeighbours + 1);
  for (int k = 0; k <= kNeighbours; ++k) to.emplace_back(span, 170 + k);
  for (int k = 0; k <= kNeighbours; ++k) {
    if (how == 3 && k == kNeighbours / 2) {
      requests[k] = MPI_REQUEST_NULL;
      continue;
    }
    MPI_Irecv(to[k].buffer(), room, type, peer, k, comm, &requests[k]);
  }
  MPI_Request& victim = requests[kNeighbours / 2];
  MPI_Status status = marked_status();
  switch (how) {
    case 0:
      note_error(seen, "wait", MPI_Wait(&victim, &status));
      break;
    case 1: {
      constexpr int kMark = -77;  // what the library leaves alone stays as it was
      int flag = 0, code = MPI_SUCCESS;
      while (flag == 0 && code == MPI_SUCCESS && handled == 0 && victim != MPI_REQUEST_NULL) {
        flag = kMark;
        code = MPI_Test(&victim, &flag, &status);
      }
      note_error(seen, "test", code);
      seen.note("flag", flag);
      break;
    }
    case 2: {
      std::vector<MPI_Status> statuses(requests.size(), marked_status());
      note_error(seen, "waitall", MPI_Waitall(kNeighbours + 1, requests.data(), statuses.data()));
      for (int k = 0; k <= kNeighbours; ++k) {
        // The others may be pending still, or done.
        if (k == kNeighbours / 2) seen.note("error in the status", test::error_class(statuses[k].MPI_ERROR));
      }
      break;
    }
    default:
      note_error(seen, "recv",
                 MPI_Recv(to[kNeighbours / 2].buffer(), room, type, peer, kNeighbours / 2, comm, &status));
  }
  for (MPI_Request& request : requests) {
    if (request != MPI_REQUEST_NULL) MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  handled = handled_class = 0;
  for (int k = 0; k <= kNeighbours; ++k) {
    // MPI leaves open what a truncated receive leaves in its own buffer. Every library delivers what there is room for,
    // but for MPICH beyond its eager limit, from a type with gaps.
    const bool is_open = k == kNeighbours / 2 && span.size > 1000;
    if (!is_open) seen.note_bytes("receive " + std::to_string(k), to[k]);
  }
}

// Whether broken messages may be there before their receive. MPICH 5.0.2 crashes then in the very call that receives or
// starts (PMPI_Recv, PMPI_Irecv, PMPI_Start): it fails, frees the request and writes to it. Intel MPI 2021.19 crashes
// in MPI_Irecv, and MPI_Recv says MPI_ERR_TYPE for MPI_ERR_TRUNCATE. Under the layer they are given bytes and do not
// fail; that the layer converts is sure only by force.
bool may_wait(const Twin& twin) {
  static const bool is_forced = std::getenv("GAPLESS_FORCE") != nullptr;
  return test::library_is("Open MPI") || (is_forced && twin.is_on_at_first());
}

// Messages of bytes that end inside a basic type of the receive's type, or behind one: received in each way. `waits`:
// the message is there before the receive, where it may; otherwise the receive is there first.
void broken(Twin& twin, MPI_Comm comm, MPI_Datatype type, int bytes, int how, bool waits, Transcript& seen) {
  constexpr int kReady = 1, kSound = 2;  // the tags that ask for the message, and of one that is in order
  const test::Span span = test::span_of(type, 4);
  const int peer = twin.peer();
  if (twin.rank() == 0) {
    const std::vector<char> from(static_cast<std::size_t>(bytes), 5);
    MPI_Recv(nullptr, 0, MPI_BYTE, peer, kReady, comm, MPI_STATUS_IGNORE);
    if (how == 4) MPI_Send(from.data(), 1, MPI_BYTE, peer, kSound, comm);
    MPI_Send(from.data(), bytes, MPI_BYTE, peer, 0, comm);
    return;
  }
  const auto ask = [&] { MPI_Send(nullptr, 0, MPI_BYTE, peer, kReady, comm); };
  waits = waits && may_wait(twin);
  if (waits) {
    ask();
    MPI_Probe(peer, 0, comm, MPI_STATUS_IGNORE);
  } else if (how == 0) {
    how = 2;  // one cannot ask from within MPI_Recv
  }
  test::Field to(span, 77);
  MPI_Status status = marked_status();
  MPI_Request request = MPI_REQUEST_NULL, sound;
  char byte = 0;
  int index = 0, flag = 0, done = 0, code = MPI_SUCCESS;
  if (how == 4) MPI_Irecv(&byte, 1, MPI_BYTE, peer, kSound, comm, &sound);
  if (how == 0) {
    code = MPI_Recv(to.buffer(), 4, type, peer, 0, comm, &status);
  } else if (how == 1) {
    // The libraries post the receive before they send.
    const int dest = waits ? MPI_PROC_NULL : peer;
    code = MPI_Sendrecv(nullptr, 0, MPI_BYTE, dest, kReady, to.buffer(), 4, type, peer, 0, comm, &status);
  } else {
    (how == 7 ? MPI_Recv_init : MPI_Irecv)(to.buffer(), 4, type, peer, 0, comm, &request);
    if (how == 7) MPI_Start(&request);
    if (!waits) ask();
  }
  if (how == 2 || how == 7) code = MPI_Wait(&request, &status);
  if (how == 3) code = MPI_Waitany(1, &request, &index, &status);
  if (how == 4) {
    MPI_Request both[] = {request, sound};
    MPI_Status statuses[] = {status, status};
    code = MPI_Waitall(2, both, statuses);
    // Open whether it is over when the other one fails.
    const int sounds = test::error_class(statuses[1].MPI_ERROR);
    const bool told = test::error_class(code) == MPI_ERR_IN_STATUS;
    seen.note("the sound one is said to be sound", !told || sounds == MPI_SUCCESS || sounds == MPI_ERR_PENDING);
    request = both[0], status = statuses[0];
    if (both[1] != MPI_REQUEST_NULL) MPI_Wait(&both[1], MPI_STATUS_IGNORE);
  }
  if (how == 5) code = MPI_Waitsome(1, &request, &done, &index, &status);
  while (how == 6 && flag == 0 && code == MPI_SUCCESS) code = MPI_Test(&request, &flag, &status);
  note_error(seen, "receive", code);
  seen.note("error in the status", how == 4 || how == 5 ? test::error_class(status.MPI_ERROR) : 0);
  int count = -1;
  MPI_Get_count(&status, MPI_BYTE, &count);
  seen.note("bytes", count);
  seen.note_bytes("data", to);
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

void wrong_arguments(Twin& twin, MPI_Comm comm, MPI_Datatype type, MPI_Datatype uncommitted, Transcript& seen) {
  static double field[4096];
  const int me = twin.rank();
  const auto one = [&](const char* what, auto call) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = call(&request);
    note_error(seen, what, code);
    seen.note(what + std::string(": no request"), request == MPI_REQUEST_NULL);
  };
  one("negative count, isend", [&](MPI_Request* r) { return MPI_Isend(field, -1, type, me, 0, comm, r); });
  one("negative count, irecv", [&](MPI_Request* r) { return MPI_Irecv(field, -1, type, me, 0, comm, r); });
  one("rank, isend", [&](MPI_Request* r) { return MPI_Isend(field, 1, type, 99, 0, comm, r); });
  one("rank, irecv", [&](MPI_Request* r) { return MPI_Irecv(field, 1, type, 99, 0, comm, r); });
  one("rank, issend", [&](MPI_Request* r) { return MPI_Issend(field, 1, type, -7, 0, comm, r); });
  one("tag, isend", [&](MPI_Request* r) { return MPI_Isend(field, 1, type, me, -5, comm, r); });
  one("tag, irecv", [&](MPI_Request* r) { return MPI_Irecv(field, 1, type, me, -5, comm, r); });
  one("tag, irsend", [&](MPI_Request* r) { return MPI_Irsend(field, 1, type, me, -5, comm, r); });
  one("uncommitted, isend", [&](MPI_Request* r) { return MPI_Isend(field, 1, uncommitted, me, 0, comm, r); });
  one("uncommitted, irecv", [&](MPI_Request* r) { return MPI_Irecv(field, 1, uncommitted, me, 0, comm, r); });
  one("null type, isend", [&](MPI_Request* r) { return MPI_Isend(field, 1, MPI_DATATYPE_NULL, me, 0, comm, r); });
  one("null type, irecv", [&](MPI_Request* r) { return MPI_Irecv(field, 1, MPI_DATATYPE_NULL, me, 0, comm, r); });
}

}  // namespace

int main(int argc, char** argv) {
  Twin twin(&argc, &argv);
  // Debian's Open MPI is built without checks of some arguments: a wrong one may crash it without the layer.
  const bool checks_arguments = argc < 2 || std::strcmp(argv[1], "truncation") != 0;
  MPI_Errhandler mine;
  MPI_Comm_create_errhandler(handler, &mine);
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Datatype small, large, uncommitted;
  MPI_Type_vector(8, 2, 16, MPI_DOUBLE, &small);
  MPI_Type_vector(500, 2, 5, MPI_DOUBLE, &large);  // 8000 bytes
  MPI_Type_vector(8, 2, 16, MPI_DOUBLE, &uncommitted);
  MPI_Type_commit(&small);
  const int ones[] = {1, 1};
  const MPI_Aint places[] = {0, 24};
  const MPI_Datatype members[] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype pair, mixed;
  MPI_Type_create_struct(2, ones, places, members, &pair);
  MPI_Type_contiguous(20, pair, &mixed);
  MPI_Type_commit(&mixed);
  MPI_Type_commit(&large);
  for (const bool returns : {true, false}) {
    MPI_Comm_set_errhandler(own, returns ? MPI_ERRORS_RETURN : mine);
    const std::string which = returns ? " with ERRORS_RETURN" : " with a handler";
    for (int how = 0; how < 4; ++how) {
      const std::string name = "truncation " + std::to_string(how) + which;
      twin.compare(name, [&](Transcript& seen) { truncated(twin, own, small, 1, 2, how, seen); });
      twin.compare(name + ", large", [&](Transcript& seen) { truncated(twin, own, large, 1, 4, how, seen); });
      twin.compare(name + ", larger", [&](Transcript& seen) { truncated(twin, own, large, 4, 64, how, seen); });
    }
    for (int how = 0; how < 8 && returns; ++how) {
      for (const int bytes : {4, 8, 12, 200, 204}) {
        for (const bool waits : {false, true}) {
          const std::string name =
              "ends at " + std::to_string(bytes) + " received " + std::to_string(how) + (waits ? " late" : "");
          twin.compare(name, [&](Transcript& seen) { broken(twin, own, small, bytes, how, waits, seen); });
          twin.compare(name + ", mixed", [&](Transcript& seen) { broken(twin, own, mixed, bytes, how, waits, seen); });
        }
      }
    }
    if (!checks_arguments) continue;
    twin.compare("arguments" + which, [&](Transcript& seen) { wrong_arguments(twin, own, small, uncommitted, seen); });
  }
  MPI_Type_free(&small);
  MPI_Type_free(&pair);
  MPI_Type_free(&mixed);
  MPI_Type_free(&large);
  MPI_Type_free(&uncommitted);
  MPI_Errhandler_free(&mine);
  MPI_Comm_free(&own);
  return 0;
}

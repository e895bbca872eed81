// Nonblocking sends, receives and sendrecvs, ended by MPI_Wait. Compiled with and without large counts.
#include <cstring>

#include "counted.hpp"
#include "twin.hpp"

using namespace conformance;

namespace {

#if HAS_COUNTED

using Isend = int (*)(const void*, Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

int wait(MPI_Request* request, MPI_Status* status, Transcript& seen) {
  const int code = MPI_Wait(request, status);
  seen.note("code of wait", code);
  seen.note("the request is null", *request == MPI_REQUEST_NULL);
  return code;
}

// The type is freed while the operation is pending.
void by_isend(Twin& twin, const Message& m, Isend isend, Transcript& seen) {
  test::Field from = m.field(1), to = m.field(2);
  MPI_Datatype type;
  MPI_Type_dup(m.type, &type);
  MPI_Request request;
  MPI_Status status = marked_status();
  if (twin.rank() == 0) {
    MPI_Recv(nullptr, 0, MPI_BYTE, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    seen.note("code", isend(from.buffer(), m.count, type, 1, 5, MPI_COMM_WORLD, &request));
    MPI_Type_free(&type);
    twin.half_time();
    wait(&request, &status, seen);
    seen.note_status("status", status, MPI_DATATYPE_NULL);
  } else {
    seen.note("code", COUNTED(MPI_Irecv)(to.buffer(), m.count, type, 0, 5, MPI_COMM_WORLD, &request));
    MPI_Type_free(&type);
    MPI_Send(nullptr, 0, MPI_BYTE, 0, 6, MPI_COMM_WORLD);
    twin.half_time();
    wait(&request, &status, seen);
    seen.note_status("status", status, m.type);
    seen.note_bytes("what came", to);
  }
}

void buffered(Twin& twin, const Message& m, Transcript& seen) {
  int bytes;
  MPI_Pack_size(m.count, m.type, MPI_COMM_WORLD, &bytes);
  std::vector<char> room(static_cast<std::size_t>(bytes) + MPI_BSEND_OVERHEAD);
  MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
  by_isend(twin, m, COUNTED(MPI_Ibsend), seen);
  void* address;
  MPI_Buffer_detach(&address, &bytes);
}

// Several at a time, completed in another order than they were posted in; the last is partial and into wildcards.
void several(Twin& twin, const Message& m, Transcript& seen) {
  constexpr int kMany = 6;
  std::vector<test::Field> from, to;
  for (int k = 0; k < kMany; ++k) from.push_back(m.field(10 * twin.rank() + k)), to.push_back(m.field(30 + k));
  MPI_Request sends[kMany], receives[kMany];
  for (int k = 0; k < kMany; ++k) {
    COUNTED(MPI_Irecv)
    (to[k].buffer(), m.count, m.type, k == 3 ? MPI_ANY_SOURCE : twin.peer(), k, MPI_COMM_WORLD, &receives[k]);
  }
  for (int k = 0; k < kMany; ++k) {
    COUNTED(MPI_Isend)
    (from[k].buffer(), k == 4 ? m.count - 1 : m.count, m.type, twin.peer(), k, MPI_COMM_WORLD, &sends[k]);
  }
  twin.half_time();
  for (int k : {3, 0, 5, 4, 1, 2}) {
    MPI_Status status = marked_status();
    wait(&receives[k], k == 0 ? MPI_STATUS_IGNORE : &status, seen);
    if (k != 0) seen.note_status("receive " + std::to_string(k), status, m.type);
    seen.note_bytes("what came", to[k]);
  }
  for (int k : {5, 0, 4, 3, 2, 1}) wait(&sends[k], MPI_STATUS_IGNORE, seen);
}

#if HAS_ISENDRECV
void isendrecv(Twin& twin, const Message& m, int peer, Transcript& seen) {
  test::Field from = m.field(1 + twin.rank()), to = m.field(3 + twin.rank());
  MPI_Status status = marked_status();
  MPI_Request request;
  seen.note("code", COUNTED(MPI_Isendrecv)(from.buffer(), m.count, m.type, peer, 5, to.buffer(), m.count, m.type, peer,
                                           5, MPI_COMM_WORLD, &request));
  twin.half_time();
  wait(&request, &status, seen);
  if (ISENDRECV_IS_SOUND) seen.note_status("status", status, m.type);
  seen.note_bytes("what came", to);
}

// Less comes than there is room for.
void short_isendrecv(Twin& twin, const Message& m, Transcript& seen) {
  test::Field from = m.field(1 + twin.rank()), to = m.field(3 + twin.rank());
  MPI_Status status = marked_status();
  MPI_Request request;
  COUNTED(MPI_Isendrecv)
  (from.buffer(), m.count - 1, m.type, twin.peer(), 5, to.buffer(), m.count, m.type, twin.peer(), 5, MPI_COMM_WORLD,
   &request);
  wait(&request, &status, seen);
  if (ISENDRECV_IS_SOUND) seen.note_status("status", status, m.type);
  seen.note_bytes("what came", to);
}

void half_derived(Twin& twin, const Message& m, bool derived_out, Transcript& seen) {
  test::Field field = m.field(1 + twin.rank());
  std::vector<char> packed(static_cast<std::size_t>(m.span.size) + 1);
  const int bytes = static_cast<int>(m.span.size), peer = twin.peer();
  MPI_Status status = marked_status();
  MPI_Request request;
  if (derived_out) {
    COUNTED(MPI_Isendrecv)
    (field.buffer(), m.count, m.type, peer, 5, packed.data(), bytes, MPI_PACKED, peer, 5, MPI_COMM_WORLD, &request);
  } else {
    COUNTED(MPI_Isendrecv)
    (packed.data(), bytes, MPI_PACKED, peer, 5, field.buffer(), m.count, m.type, peer, 5, MPI_COMM_WORLD, &request);
  }
  wait(&request, &status, seen);
  if (ISENDRECV_IS_SOUND) seen.note_status("status", status, derived_out ? MPI_BYTE : m.type);
  seen.note_bytes("field", field);
}

// The twin of a library that cannot do it is the blocking procedure.
void ireplace(Twin& twin, const Message& m, Transcript& seen) {
  test::Field field = m.field(1 + twin.rank());
  MPI_Status status = marked_status();
  if (!ISENDRECV_IS_SOUND && !twin.is_on_at_first()) {
    MPI_Sendrecv_replace(field.buffer(), static_cast<int>(m.count), m.type, twin.peer(), 5, twin.peer(), 5,
                         MPI_COMM_WORLD, &status);
  } else {
    MPI_Request request;
    COUNTED(MPI_Isendrecv_replace)
    (field.buffer(), m.count, m.type, twin.peer(), 5, twin.peer(), 5, MPI_COMM_WORLD, &request);
    twin.half_time();
    MPI_Wait(&request, &status);
  }
  if (ISENDRECV_IS_SOUND) seen.note_status("status", status, m.type);
  seen.note_bytes("what came", field);
}

// True if the data lie in memory as they are packed.
bool is_run(const Message& m) {
  if (m.span.size != m.span.high - m.span.low) return false;
  test::Field field = m.field(0);
  std::vector<char> packed(static_cast<std::size_t>(m.span.size));
  int position = 0;
  MPI_Pack(field.buffer(), static_cast<int>(m.count), m.type, packed.data(), static_cast<int>(packed.size()), &position,
           MPI_COMM_SELF);
  return std::memcmp(packed.data(), static_cast<const char*>(field.buffer()) + m.span.low, packed.size()) == 0;
}
#endif

#endif

}  // namespace

int main(int argc, char** argv) {
#if !HAS_COUNTED
  (void)argc, (void)argv;
  std::puts("skipped: this library has no large counts");
  return kSkipped;
#else
  Twin twin(&argc, &argv);
  twin.for_each_message(argc > 1 ? std::atoi(argv[1]) : 64, 2, [&](const Message& m) {
    const std::string s = " seed " + std::to_string(m.seed);
    const auto run = [&](const char* name, auto&& scenario) { twin.compare(name + s, scenario); };
    run("isend", [&](Transcript& seen) { by_isend(twin, m, COUNTED(MPI_Isend), seen); });
    run("issend", [&](Transcript& seen) { by_isend(twin, m, COUNTED(MPI_Issend), seen); });
    run("irsend", [&](Transcript& seen) { by_isend(twin, m, COUNTED(MPI_Irsend), seen); });
    run("ibsend", [&](Transcript& seen) { buffered(twin, m, seen); });
    run("several", [&](Transcript& seen) { several(twin, m, seen); });
#if HAS_ISENDRECV
    run("isendrecv", [&](Transcript& seen) { isendrecv(twin, m, twin.peer(), seen); });
    run("isendrecv with nobody", [&](Transcript& seen) { isendrecv(twin, m, MPI_PROC_NULL, seen); });
    run("isendrecv of less", [&](Transcript& seen) { short_isendrecv(twin, m, seen); });
    run("isendrecv into bytes", [&](Transcript& seen) { half_derived(twin, m, true, seen); });
    run("isendrecv of bytes", [&](Transcript& seen) { half_derived(twin, m, false, seen); });
    // What is one run of bytes the layer leaves to the library, which may put it to the wrong place.
    if (ISENDRECV_IS_SOUND || !is_run(m)) run("isendrecv_replace", [&](Transcript& seen) { ireplace(twin, m, seen); });
#endif
  });
  return 0;
#endif
}

// Blocking sends and receives, sendrecv and its kin, pack and unpack. Compiled with and without large counts.
#include "counted.hpp"
#include "twin.hpp"

using namespace conformance;

namespace {

#if HAS_COUNTED

using Send = int (*)(const void*, Count, MPI_Datatype, int, int, MPI_Comm);

void by_send(Twin& twin, const Message& m, Send send, Transcript& seen) {
  test::Field from = m.field(1), to = m.field(2);
  if (twin.rank() == 0) {
    seen.note("code", send(from.buffer(), m.count, m.type, 1, 5, MPI_COMM_WORLD));
    seen.note_bytes("what was sent", from);
  } else {
    MPI_Status status = marked_status();
    seen.note("code", COUNTED(MPI_Recv)(to.buffer(), m.count, m.type, 0, 5, MPI_COMM_WORLD, &status));
    seen.note_status("status", status, m.type);
    seen.note_bytes("what came", to);
  }
}

void buffered(Twin& twin, const Message& m, Transcript& seen) {
  int bytes;
  MPI_Pack_size(m.count, m.type, MPI_COMM_WORLD, &bytes);
  std::vector<char> room(static_cast<std::size_t>(bytes) + MPI_BSEND_OVERHEAD);
  MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
  by_send(twin, m, COUNTED(MPI_Bsend), seen);
  void* address;
  MPI_Buffer_detach(&address, &bytes);
}

void ready(Twin& twin, const Message& m, Transcript& seen) {
  test::Field from = m.field(1), to = m.field(2);
  if (twin.rank() == 0) {
    // The empty message says that the receive is posted.
    MPI_Recv(nullptr, 0, MPI_BYTE, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    seen.note("code", COUNTED(MPI_Rsend)(from.buffer(), m.count, m.type, 1, 5, MPI_COMM_WORLD));
    return;
  }
  MPI_Request request;
  MPI_Status status = marked_status();
  COUNTED(MPI_Irecv)(to.buffer(), m.count, m.type, 0, 5, MPI_COMM_WORLD, &request);
  MPI_Send(nullptr, 0, MPI_BYTE, 0, 6, MPI_COMM_WORLD);
  seen.note("code", MPI_Wait(&request, &status));
  seen.note_status("status", status, m.type);
  seen.note_bytes("what came", to);
}

// Fewer elements than there is room for, through wildcards, without a status every second time.
void partial(Twin& twin, const Message& m, bool ignored, Transcript& seen) {
  test::Field from = m.field(1), to = m.field(2);
  if (twin.rank() == 0) {
    COUNTED(MPI_Send)(from.buffer(), m.count - 1, m.type, 1, 5, MPI_COMM_WORLD);
    return;
  }
  MPI_Status status = marked_status();
  seen.note("code", COUNTED(MPI_Recv)(to.buffer(), m.count, m.type, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                                      ignored ? MPI_STATUS_IGNORE : &status));
  if (!ignored) seen.note_status("status", status, m.type);
  seen.note_bytes("what came", to);
}

// A part of an element: its first basic elements.
void broken_element(Twin& twin, Transcript& seen) {
  MPI_Datatype type;
  MPI_Type_vector(8, 1, 3, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  for (const int doubles : {1, 5, 8, 11, 16}) {
    if (twin.rank() == 0) {
      std::vector<double> from(16, doubles);
      MPI_Send(from.data(), doubles, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD);
    } else {
      test::Field to(test::span_of(type, 2), 7);
      MPI_Status status = marked_status();
      seen.note("code", COUNTED(MPI_Recv)(to.buffer(), 2, type, 0, 5, MPI_COMM_WORLD, &status));
      seen.note_status("status", status, type, true);
      seen.note_bytes("what came", to);
    }
  }
  MPI_Type_free(&type);
}

void sendrecv(Twin& twin, const Message& m, bool with_self, Transcript& seen) {
  test::Field from = m.field(1 + twin.rank()), to = m.field(3 + twin.rank());
  MPI_Status status = marked_status();
  const int peer = with_self ? 0 : twin.peer();
  seen.note("code", COUNTED(MPI_Sendrecv)(from.buffer(), m.count, m.type, peer, 5, to.buffer(), m.count, m.type,
                                          with_self ? MPI_ANY_SOURCE : peer, with_self ? MPI_ANY_TAG : 5,
                                          with_self ? MPI_COMM_SELF : MPI_COMM_WORLD, &status));
  seen.note_status("status", status, m.type);
  seen.note_bytes("what came", to);
}

// One side derived, the other bytes.
void half_derived(Twin& twin, const Message& m, Transcript& seen) {
  test::Field from = m.field(1 + twin.rank()), to = m.field(3 + twin.rank());
  std::vector<char> packed(static_cast<std::size_t>(m.span.size) + 1);
  const int bytes = static_cast<int>(m.span.size), peer = twin.peer();
  MPI_Status status = marked_status();
  COUNTED(MPI_Sendrecv)(from.buffer(), m.count, m.type, peer, 5, packed.data(), bytes, MPI_PACKED, peer, 5,
                        MPI_COMM_WORLD, &status);
  seen.note_status("bytes", status, MPI_BYTE);
  status = marked_status();
  COUNTED(MPI_Sendrecv)(packed.data(), bytes, MPI_PACKED, peer, 5, to.buffer(), m.count, m.type, peer, 5,
                        MPI_COMM_WORLD, &status);
  seen.note_status("derived", status, m.type);
  seen.note_bytes("what came back", to);
}

void replace(Twin& twin, const Message& m, Transcript& seen) {
  test::Field field = m.field(1 + twin.rank());
  MPI_Status status = marked_status();
  seen.note("code", COUNTED(MPI_Sendrecv_replace)(field.buffer(), m.count, m.type, twin.peer(), 5, twin.peer(), 5,
                                                  MPI_COMM_WORLD, &status));
  seen.note_status("status", status, m.type);
  seen.note_bytes("what came", field);
}

// To one side only: the data are sent and stay, or come without being sent.
void replace_with_nobody(Twin& twin, const Message& m, Transcript& seen) {
  test::Field field = m.field(1 + twin.rank());
  MPI_Status status = marked_status();
  const int dest = twin.rank() == 0 ? 1 : MPI_PROC_NULL, source = twin.rank() == 0 ? MPI_PROC_NULL : 0;
  COUNTED(MPI_Sendrecv_replace)(field.buffer(), m.count, m.type, dest, 5, source, 5, MPI_COMM_WORLD, &status);
  seen.note_status("status", status, m.type);
  seen.note_bytes("what came", field);
}

void pack_and_unpack(Twin&, const Message& m, Transcript& seen) {
  test::Field from = m.field(1), to = m.field(2);
  int bytes;
  MPI_Pack_size(m.count, m.type, MPI_COMM_WORLD, &bytes);
  // Behind three bytes and before some more.
  const test::Span room{0, bytes + 9, bytes + 9};
  test::Field packed(room, 99);
  Count position = 3;
  seen.note("code", COUNTED(MPI_Pack)(from.buffer(), m.count, m.type, packed.buffer(), bytes + 9, &position,
                                      MPI_COMM_WORLD));
  seen.note("position", position);
  seen.note_bytes("packed", packed);
  position = 3;
  seen.note("code", COUNTED(MPI_Unpack)(packed.buffer(), bytes + 9, &position, to.buffer(), m.count, m.type,
                                        MPI_COMM_WORLD));
  seen.note("position", position);
  seen.note_bytes("unpacked", to);
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
  twin.compare("broken elements", [&](Transcript& seen) { broken_element(twin, seen); });
  twin.for_each_message(argc > 1 ? std::atoi(argv[1]) : 64, 1, [&](const Message& m) {
    const std::string s = " seed " + std::to_string(m.seed);
    const auto run = [&](const char* name, auto&& scenario) { twin.compare(name + s, scenario); };
    run("send", [&](Transcript& seen) { by_send(twin, m, COUNTED(MPI_Send), seen); });
    run("ssend", [&](Transcript& seen) { by_send(twin, m, COUNTED(MPI_Ssend), seen); });
    run("bsend", [&](Transcript& seen) { buffered(twin, m, seen); });
    run("rsend", [&](Transcript& seen) { ready(twin, m, seen); });
    run("partial", [&](Transcript& seen) { partial(twin, m, false, seen); });
    run("partial, status ignored", [&](Transcript& seen) { partial(twin, m, true, seen); });
    run("sendrecv", [&](Transcript& seen) { sendrecv(twin, m, false, seen); });
    run("sendrecv with itself", [&](Transcript& seen) { sendrecv(twin, m, true, seen); });
    run("sendrecv of bytes", [&](Transcript& seen) { half_derived(twin, m, seen); });
    run("replace", [&](Transcript& seen) { replace(twin, m, seen); });
    run("replace with nobody", [&](Transcript& seen) { replace_with_nobody(twin, m, seen); });
    run("pack", [&](Transcript& seen) { pack_and_unpack(twin, m, seen); });
  });
  return 0;
#endif
}

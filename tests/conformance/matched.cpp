// Matched probes, blocking and not. Compiled with and without large counts.
#include "counted.hpp"
#include "twin.hpp"

using namespace conformance;

namespace {

#if HAS_COUNTED

// Three messages; the second is taken out first, the first one by improbe and imrecv, the third through wildcards.
void three(Twin& twin, const Message& m, Transcript& seen) {
  if (twin.rank() == 0) {
    std::vector<test::Field> from = {m.field(0), m.field(1), m.field(2)};
    MPI_Request requests[3];
    for (int k = 0; k < 3; ++k) {
      COUNTED(MPI_Isend)
      (from[k].buffer(), k == 2 ? m.count - 1 : m.count, m.type, 1, k, MPI_COMM_WORLD, &requests[k]);
    }
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    twin.half_time();
    return;
  }
  std::vector<test::Field> to = {m.field(10), m.field(11), m.field(12)};
  MPI_Message first = MPI_MESSAGE_NULL, second, third;
  MPI_Status status = marked_status();
  MPI_Mprobe(0, 1, MPI_COMM_WORLD, &second, &status);
  seen.note_status("probed", status, m.type);
  for (int flag = 0; flag == 0;) MPI_Improbe(0, 0, MPI_COMM_WORLD, &flag, &first, MPI_STATUS_IGNORE);
  MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &third, MPI_STATUS_IGNORE);
  MPI_Request request;
  seen.note("imrecv", COUNTED(MPI_Imrecv)(to[0].buffer(), m.count, m.type, &first, &request));
  seen.note("the message is null", first == MPI_MESSAGE_NULL);
  twin.half_time();
  status = marked_status();
  seen.note("mrecv", COUNTED(MPI_Mrecv)(to[1].buffer(), m.count, m.type, &second, &status));
  seen.note("the message is null", second == MPI_MESSAGE_NULL);
  seen.note_status("second", status, m.type);
  status = marked_status();
  seen.note("wait", MPI_Wait(&request, &status));
  seen.note_status("first", status, m.type);
  status = marked_status();
  COUNTED(MPI_Mrecv)(to[2].buffer(), m.count, m.type, &third, &status);
  seen.note_status("third", status, m.type);
  for (const test::Field& field : to) seen.note_bytes("what came", field);
}

void from_nobody(Twin&, const Message& m, Transcript& seen) {
  test::Field to = m.field(1);
  for (const bool waits : {false, true}) {
    MPI_Message message;
    MPI_Status status = marked_status();
    MPI_Mprobe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    seen.note("no message", message == MPI_MESSAGE_NO_PROC);
    if (waits) {
      MPI_Request request;
      COUNTED(MPI_Imrecv)(to.buffer(), m.count, m.type, &message, &request);
      MPI_Wait(&request, &status);
    } else {
      COUNTED(MPI_Mrecv)(to.buffer(), m.count, m.type, &message, &status);
    }
    seen.note_status("status", status, m.type);
    seen.note_bytes("field", to);
  }
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
  twin.for_each_message(argc > 1 ? std::atoi(argv[1]) : 64, 3, [&](const Message& m) {
    const std::string s = " seed " + std::to_string(m.seed);
    twin.compare("three" + s, [&](Transcript& seen) { three(twin, m, seen); });
    twin.compare("from nobody" + s, [&](Transcript& seen) { from_nobody(twin, m, seen); });
  });
  return 0;
#endif
}

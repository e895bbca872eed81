// Persistent sends and receives: started again and again with other data, alone and in lists, completed by every
// completing procedure. Compiled with and without large counts.
#include <map>

#include "persistent.hpp"

using namespace conformance;

namespace {

#if HAS_COUNTED

constexpr int kRounds = 5;
constexpr std::int64_t kLarge = 1 << 16;  // [bytes]

using SendInit = int (*)(const void*, Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

void by_send_init(Twin& twin, const Message& m, SendInit send_init, Transcript& seen) {
  test::Field from = m.field(1), to = m.field(2);
  MPI_Request request;
  if (twin.rank() == 0) {
    seen.note("code", send_init(from.buffer(), m.count, OwnType(m), 1, 5, MPI_COMM_WORLD, &request));
  } else {
    seen.note("code", COUNTED(MPI_Recv_init)(to.buffer(), m.count, OwnType(m), 0, 5, MPI_COMM_WORLD, &request));
  }
  for (int round = 0; round < kRounds; ++round) {
    MPI_Status status = marked_status();
    if (twin.rank() == 0) {
      refill(from, m.field(10 + round));
      MPI_Recv(nullptr, 0, MPI_BYTE, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      seen.note("start", MPI_Start(&request));
    } else {
      refill(to, m.field(50 + round));
      seen.note("start", MPI_Start(&request));
      MPI_Send(nullptr, 0, MPI_BYTE, 0, 6, MPI_COMM_WORLD);
    }
    if (round == kRounds / 2) twin.half_time();
    seen.note("wait", MPI_Wait(&request, &status));
    seen.note_status("status", status, twin.rank() == 0 ? MPI_DATATYPE_NULL : m.type);
    seen.note_bytes("what came", to);
    seen.note("null", request == MPI_REQUEST_NULL);
  }
  seen.note("free", MPI_Request_free(&request));
  seen.note("null at the end", request == MPI_REQUEST_NULL);
}

void buffered(Twin& twin, const Message& m, Transcript& seen) {
  int bytes;
  MPI_Pack_size(m.count, m.type, MPI_COMM_WORLD, &bytes);
  std::vector<char> room(2 * (static_cast<std::size_t>(bytes) + MPI_BSEND_OVERHEAD));
  MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
  by_send_init(twin, m, COUNTED(MPI_Bsend_init), seen);
  void* address;
  MPI_Buffer_detach(&address, &bytes);
}

// Started again before the receiver has taken what was sent before; Open MPI gives the request another handle then.
void buffered_ahead(Twin& twin, const Message& m, Transcript& seen) {
  if (twin.rank() == 1) {
    MPI_Barrier(MPI_COMM_WORLD);
    for (int round = 0; round < kRounds; ++round) {
      test::Field to = m.field(2);
      MPI_Recv(to.buffer(), m.count, m.type, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      seen.note_bytes("what came", to);
    }
    return;
  }
  int bytes;
  MPI_Pack_size(m.count, m.type, MPI_COMM_WORLD, &bytes);
  std::vector<char> room(2 * kRounds * (static_cast<std::size_t>(bytes) + MPI_BSEND_OVERHEAD));
  MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
  test::Field from = m.field(1);
  MPI_Request request;
  COUNTED(MPI_Bsend_init)(from.buffer(), m.count, OwnType(m), 1, 5, MPI_COMM_WORLD, &request);
  for (int round = 0; round < kRounds; ++round) {
    refill(from, m.field(10 + round));
    seen.note("start", MPI_Start(&request));
    seen.note("wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  seen.note("free", MPI_Request_free(&request));
  void* address;
  MPI_Buffer_detach(&address, &bytes);
}

// A list of persistent requests, some of which stay inactive, with nonblocking ones and a null one among them.
class List {
 public:
  static constexpr int kStarted = 6, kSize = 10;
  List(Twin& twin, const Message& m) : twin_(twin), m_(m) {
    const int peer = twin.peer();
    for (int k = 0; k < 4; ++k) out_.push_back(m.field(1)), in_.push_back(m.field(1));
    const OwnType type(m);
    for (int k = 0; k < 3; ++k) {
      // The last of what is received is less than there is room for, and comes into wildcards.
      COUNTED(MPI_Recv_init)
      (in_[k].buffer(), m.count, type, k == 2 ? MPI_ANY_SOURCE : peer, 20 + k, MPI_COMM_WORLD, &requests_[2 * k]);
      COUNTED(MPI_Send_init)
      (out_[k].buffer(), k == 2 ? m.count - 1 : m.count, type, peer, 20 + k, MPI_COMM_WORLD, &requests_[2 * k + 1]);
    }
    COUNTED(MPI_Recv_init)(in_[0].buffer(), m.count, type, peer, 29, MPI_COMM_WORLD, &requests_[8]);
  }
  ~List() {
    for (int k = 0; k < kStarted; ++k) MPI_Request_free(&requests_[k]);
    MPI_Request_free(&requests_[8]);
  }
  List(const List&) = delete;
  List& operator=(const List&) = delete;

  void start(int round) {
    for (int k = 0; k < 4; ++k) {
      refill(out_[k], m_.field(100 * round + 10 * twin_.rank() + k));
      refill(in_[k], m_.field(100 * round + 40 + k));
    }
    COUNTED(MPI_Irecv)(in_[3].buffer(), m_.count, m_.type, twin_.peer(), 30, MPI_COMM_WORLD, &requests_[6]);
    COUNTED(MPI_Isend)(out_[3].buffer(), m_.count, m_.type, twin_.peer(), 30, MPI_COMM_WORLD, &requests_[7]);
    requests_[9] = MPI_REQUEST_NULL;
    if (round % 2 == 0) {
      code(MPI_Startall(kStarted, requests_));
    } else {
      for (int k = kStarted - 1; k >= 0; --k) code(MPI_Start(&requests_[k]));
    }
  }
  MPI_Request* requests() { return requests_; }
  void code(int code) { seen_[-1].note("code", code); }
  void over(int k, const MPI_Status* status) {
    Transcript& seen = seen_[k];
    const bool receives = k < kStarted + 2 && k % 2 == 0;
    if (status != nullptr) seen.note_status("status", *status, receives ? m_.type : MPI_DATATYPE_NULL);
    seen.note("null", requests_[k] == MPI_REQUEST_NULL);
    if (receives) seen.note_bytes("field", in_[static_cast<std::size_t>(k / 2)]);
  }
  // What the program does with its data from now on is not undone by a later call.
  void use(int k) {
    if (k < kStarted && k % 2 == 0) refill(in_[k / 2], m_.field(900 + k));
  }
  void note(Transcript& seen) {
    for (auto& [k, part] : seen_) seen.append(part);
    for (const test::Field& field : in_) seen.note_bytes("at the end", field);
    seen_.clear();
  }

 private:
  Twin& twin_;
  const Message& m_;
  std::vector<test::Field> out_, in_;
  MPI_Request requests_[kSize];
  std::map<int, Transcript> seen_;
};

void by_wait(List& all, bool ignored) {
  for (const int k : {7, 3, 9, 0, 5, 6, 1, 2, 8, 4}) {
    MPI_Status status = marked_status();
    all.code(MPI_Wait(&all.requests()[k], ignored ? MPI_STATUS_IGNORE : &status));
    all.over(k, ignored ? nullptr : &status);
  }
}

void by_test(List& all, bool ignored) {
  for (const int k : {7, 3, 9, 0, 5, 6, 1, 2, 8, 4}) {
    MPI_Status status;
    for (int flag = 0; flag == 0;) {
      status = marked_status();
      CHECK(MPI_Test(&all.requests()[k], &flag, ignored ? MPI_STATUS_IGNORE : &status) == MPI_SUCCESS, "MPI_Test");
    }
    all.over(k, ignored ? nullptr : &status);
  }
}

void by_all(List& all, bool ignored, bool tests) {
  std::vector<MPI_Status> statuses;
  MPI_Status* list = nullptr;
  for (int flag = 0; flag == 0;) {
    statuses.assign(List::kSize, marked_status());
    list = ignored ? MPI_STATUSES_IGNORE : statuses.data();
    const int code =
        tests ? MPI_Testall(List::kSize, all.requests(), &flag, list) : MPI_Waitall(List::kSize, all.requests(), list);
    if (!tests) flag = 1;
    CHECK(code == MPI_SUCCESS, "%d", code);
  }
  for (int k = 0; k < List::kSize; ++k) all.over(k, ignored ? nullptr : &statuses[k]);
}

void by_any(List& all, bool ignored, bool tests) {
  for (;;) {
    MPI_Status status = marked_status();
    int index = -77, flag = 1;
    MPI_Status* const one = ignored ? MPI_STATUS_IGNORE : &status;
    const int code = tests ? MPI_Testany(List::kSize, all.requests(), &index, &flag, one)
                           : MPI_Waitany(List::kSize, all.requests(), &index, one);
    CHECK(code == MPI_SUCCESS, "%d", code);
    if (flag == 0) continue;
    if (index == MPI_UNDEFINED) return;
    all.over(index, ignored ? nullptr : &status);
    all.use(index);
  }
}

void by_some(List& all, bool ignored, bool tests) {
  for (;;) {
    std::vector<MPI_Status> statuses(List::kSize, marked_status());
    std::vector<int> indices(List::kSize, -77);
    int done = -77;
    MPI_Status* const list = ignored ? MPI_STATUSES_IGNORE : statuses.data();
    const int code = (tests ? MPI_Testsome : MPI_Waitsome)(List::kSize, all.requests(), &done, indices.data(), list);
    CHECK(code == MPI_SUCCESS, "%d", code);
    if (done == MPI_UNDEFINED) return;
    for (int k = 0; k < done; ++k) {
      all.over(indices[k], ignored ? nullptr : &statuses[k]);
      all.use(indices[k]);
    }
  }
}

// The data are there when the status says so, once.
void by_get_status(List& all, bool ignored) {
  for (const int k : {7, 3, 9, 0, 5, 6, 1, 2, 8, 4}) {
    MPI_Status status;
    for (int flag = 0; flag == 0;) {
      status = marked_status();
      MPI_Request_get_status(all.requests()[k], &flag, ignored ? MPI_STATUS_IGNORE : &status);
    }
    all.over(k, ignored ? nullptr : &status);
    all.use(k);
    int flag = 0;
    all.code(MPI_Request_get_status(all.requests()[k], &flag, MPI_STATUS_IGNORE));
    all.over(k, nullptr);
  }
  by_all(all, ignored, false);
}

const struct {
  const char* name;
  void (*complete)(List&, bool ignored);
  bool also_large = false;  // a large message's fields take longer to fill than to exchange
} kProcedures[] = {
    {"MPI_Wait", by_wait},
    {"MPI_Test", by_test},
    {"MPI_Waitall", [](List& all, bool ignored) { by_all(all, ignored, false); }, true},
    {"MPI_Testall", [](List& all, bool ignored) { by_all(all, ignored, true); }},
    {"MPI_Waitany", [](List& all, bool ignored) { by_any(all, ignored, false); }},
    {"MPI_Testany", [](List& all, bool ignored) { by_any(all, ignored, true); }, true},
    {"MPI_Waitsome", [](List& all, bool ignored) { by_some(all, ignored, false); }},
    {"MPI_Testsome", [](List& all, bool ignored) { by_some(all, ignored, true); }},
    {"MPI_Request_get_status", by_get_status, true},
};

// Started three times, each completed by the same procedure; the second time, what is at rest is completed once more.
void in_a_list(Twin& twin, const Message& m, void (*complete)(List&, bool), bool ignored, Transcript& seen) {
  List all(twin, m);
  for (int round = 0; round < 3; ++round) {
    all.start(round);
    if (round == 1) twin.half_time();
    complete(all, ignored);
    for (int k = 0; k < List::kStarted; ++k) all.use(k);
    if (round == 1) by_all(all, ignored, false);
    all.note(seen);
  }
}

// The receiver asks before anything was sent: the operation goes on, and its data are there when it is over.
void asked_early(Twin& twin, const Message& m, int how, Transcript& seen) {
  if (twin.rank() == 0) {
    test::Field from = m.field(1);
    MPI_Recv(nullptr, 0, MPI_BYTE, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(from.buffer(), m.count, m.type, 1, 5, MPI_COMM_WORLD);
    return;
  }
  test::Field to = m.field(2);
  MPI_Request request;
  COUNTED(MPI_Recv_init)(to.buffer(), m.count, OwnType(m), 0, 5, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  MPI_Status status = marked_status();
  int flag = -77, index = -77, done = -77;
  if (how == 0) MPI_Test(&request, &flag, &status);
  if (how == 1) MPI_Testall(1, &request, &flag, &status);
  if (how == 2) MPI_Testany(1, &request, &index, &flag, &status);
  if (how == 3) MPI_Testsome(1, &request, &done, &index, &status);
  if (how == 4) MPI_Request_get_status(request, &flag, &status);
  seen.note("flag", flag);
  seen.note("how many", done);
  seen.note_bytes("nothing came", to);
  MPI_Send(nullptr, 0, MPI_BYTE, 0, 6, MPI_COMM_WORLD);
  status = marked_status();
  seen.note("wait", MPI_Wait(&request, &status));
  seen.note_status("status", status, m.type);
  seen.note_bytes("what came", to);
  MPI_Request_free(&request);
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
  twin.for_each_message(argc > 1 ? std::atoi(argv[1]) : 16, 7, [&](const Message& m) {
    const std::string s = " seed " + std::to_string(m.seed);
    const auto run = [&](const std::string& name, auto&& scenario) { twin.compare(name + s, scenario); };
    run("send_init", [&](Transcript& seen) { by_send_init(twin, m, COUNTED(MPI_Send_init), seen); });
    run("ssend_init", [&](Transcript& seen) { by_send_init(twin, m, COUNTED(MPI_Ssend_init), seen); });
    run("rsend_init", [&](Transcript& seen) { by_send_init(twin, m, COUNTED(MPI_Rsend_init), seen); });
    run("bsend_init", [&](Transcript& seen) { buffered(twin, m, seen); });
    run("bsend_init ahead", [&](Transcript& seen) { buffered_ahead(twin, m, seen); });
    for (int how = 0; how < 5; ++how) {
      run("asked early " + std::to_string(how), [&](Transcript& seen) { asked_early(twin, m, how, seen); });
    }
    const bool large = m.span.high - m.span.low > kLarge;
    for (const auto& procedure : kProcedures) {
      if (large && !procedure.also_large) continue;
      for (const bool ignored : {false, true}) {
        if (large && ignored) continue;
        const std::string name = procedure.name + std::string(ignored ? ", statuses ignored," : ",");
        run(name, [&](Transcript& seen) { in_a_list(twin, m, procedure.complete, ignored, seen); });
      }
    }
  });
  return 0;
#endif
}

// Partitioned sends and receives: as many partitions on either side and not, made ready one by one, in ranges, in lists
// and by two threads; asked for one by one, by two threads, and not at all.
#include <functional>
#include <thread>

#include "counted.hpp"
#include "twin.hpp"

using namespace conformance;

namespace {

#if HAS_SESSIONS

// A message of many elements, all of which one side sends or receives in equal partitions.
class Divided {
 public:
  Divided(Twin& twin, const Message& m, int elements, int salt)
      : m_(m),
        twin_(twin),
        elements_(elements),
        span_(test::span_of(m.type, elements)),
        field_(span_, m.seed * 64 + static_cast<std::uint64_t>(salt)) {
    MPI_Aint lb;
    MPI_Type_get_extent(m.type, &lb, &extent_);
  }

  void send_init(int partitions, MPI_Request* request) { init(partitions, request, true); }
  void receive_init(int partitions, MPI_Request* request) { init(partitions, request, false); }

  // Other data at the same address.
  void refill(int salt) {
    const void* const before = field_.buffer();
    const test::Field fresh(span_, m_.seed * 64 + static_cast<std::uint64_t>(salt));
    field_ = fresh;
    CHECK(field_.buffer() == before, "the message moved");
  }
  // Before a partition is made ready, and when one has arrived: nothing to do, but for a program that packs by hand.
  void prepare(int partition) {
    if (by_hand_) move_by_hand(partition, true);
  }
  void arrived(int partition) {
    if (by_hand_) move_by_hand(partition, false);
  }

  // What one partition holds, while others may be under way; as `like` divides it.
  long long checksum(int partition) { return checksum(partition, *this); }
  long long checksum(int partition, const Divided& like) {
    const std::vector<char> packed = pack(partition, like.each_);
    long long sum = 17;
    for (const char byte : packed) sum = sum * 31 % 1000000007 + static_cast<unsigned char>(byte);
    return sum;
  }
  // The program's own use of what has arrived: set to what it was before, in this partition only.
  void overwrite(int partition, Divided& other) {
    std::vector<char> packed = other.pack(partition, each_);
    int position = 0;
    MPI_Unpack(packed.data(), static_cast<int>(packed.size()), &position, place(partition), each_, m_.type,
               MPI_COMM_WORLD);
  }
  const test::Field& field() const { return field_; }

 private:
  char* place(int partition) { return static_cast<char*>(field_.buffer()) + partition * each_ * extent_; }
  std::vector<char> pack(int partition, int each) {
    each_ = each;
    std::vector<char> packed(static_cast<std::size_t>(span_.size / elements_ * each_));
    int position = 0;
    MPI_Pack(place(partition), each_, m_.type, packed.data(), static_cast<int>(packed.size()), &position,
             MPI_COMM_WORLD);
    return packed;
  }
  void move_by_hand(int partition, bool packs) {
    const int bytes = static_cast<int>(hand_.size()) / partitions_;
    char* const part = hand_.data() + static_cast<std::size_t>(partition) * bytes;
    int position = 0;
    if (packs) {
      MPI_Pack(place(partition), each_, m_.type, part, bytes, &position, MPI_COMM_WORLD);
    } else {
      MPI_Unpack(part, bytes, &position, place(partition), each_, m_.type, MPI_COMM_WORLD);
    }
  }

  // Whether the layer takes such a message: it does so for a persistent request as for a partitioned one.
  bool layer_takes_it(bool sends) {
    const char* const name = sends ? "MPI_Send_init" : "MPI_Recv_init";
    const long long before = twin_.layer().accelerated(name);
    MPI_Request request;
    (sends ? MPI_Send_init(field_.buffer(), elements_, m_.type, twin_.rank(), 99, MPI_COMM_WORLD, &request)
           : MPI_Recv_init(field_.buffer(), elements_, m_.type, twin_.rank(), 99, MPI_COMM_WORLD, &request));
    MPI_Request_free(&request);
    return twin_.layer().accelerated(name) > before;
  }

  void init(int partitions, MPI_Request* request, bool sends) {
    each_ = elements_ / partitions;
    partitions_ = partitions;
    // The twin of a library that cannot do it packs by hand.
    by_hand_ = !PARTITIONED_IS_SOUND && !layer_takes_it(sends);
    if (by_hand_) hand_.resize(static_cast<std::size_t>(span_.size));
    void* const buffer = by_hand_ ? hand_.data() : field_.buffer();
    const MPI_Datatype given = by_hand_ ? MPI_BYTE : m_.type;
    const MPI_Count count = by_hand_ ? span_.size / partitions : each_;
    // The type lives only while the request is made.
    MPI_Datatype type;
    MPI_Type_dup(given, &type);
    const int code =
        sends
            ? MPI_Psend_init(buffer, partitions, count, type, twin_.peer(), 5, MPI_COMM_WORLD, MPI_INFO_NULL, request)
            : MPI_Precv_init(buffer, partitions, count, type, twin_.peer(), 5, MPI_COMM_WORLD, MPI_INFO_NULL, request);
    CHECK(code == MPI_SUCCESS, "init: %d", code);
    MPI_Type_free(&type);
  }

  const Message& m_;
  Twin& twin_;
  int elements_, each_ = 1, partitions_ = 1;
  test::Span span_;
  test::Field field_;
  MPI_Aint extent_ = 0;
  bool by_hand_ = false;
  std::vector<char> hand_;
};

void ready(Divided& from, int partitions, int how, MPI_Request request, Transcript& seen) {
  std::vector<int> list;
  for (int p = partitions - 1; p >= 0; --p) list.push_back(p);
  switch (how) {
    case 0:
      for (const int p : list) from.prepare(p), seen.note("ready", MPI_Pready(p, request));
      return;
    case 1: {
      const int half = (partitions - 1) / 2;
      for (const int p : list) from.prepare(p);
      if (half + 1 < partitions) seen.note("range", MPI_Pready_range(half + 1, partitions - 1, request));
      seen.note("range", MPI_Pready_range(0, half, request));
      return;
    }
    default: {
      const int half = (partitions + 1) / 2;
      for (const int p : list) from.prepare(p);
      seen.note("list", MPI_Pready_list(half, list.data(), request));
      if (half < partitions) seen.note("list", MPI_Pready_list(partitions - half, list.data() + half, request));
    }
  }
}

void wait_for(MPI_Request request, int partition) {
  for (int flag = 0; flag == 0; std::this_thread::yield()) {
    CHECK(MPI_Parrived(request, partition, &flag) == MPI_SUCCESS, "partition %d", partition);
  }
}

void finish(MPI_Request* request, int round, MPI_Status* status, Transcript& seen) {
  int flag = 0, index = -1, done = 0;
  switch (round % 4) {
    case 0:
      seen.note("wait", MPI_Wait(request, status));
      return;
    case 1:
      while (flag == 0) *status = marked_status(), MPI_Testall(1, request, &flag, status);
      return;
    case 2:
      seen.note("any", MPI_Waitany(1, request, &index, status));
      return;
    default:
      while (done == 0) *status = marked_status(), MPI_Testsome(1, request, &done, &index, status);
  }
}

struct Shape {
  int sent, received;  // partitions
};

void rounds(Twin& twin, const Message& m, Shape shape, bool asks, Transcript& seen) {
  constexpr int kElements = 12;
  Divided from(twin, m, kElements, 1), to(twin, m, kElements, 2), other(twin, m, kElements, 3);
  Divided due(twin, m, kElements, 4);
  const bool sends = twin.rank() == 0;
  const bool polls = asks && (PARTITIONED_IS_SOUND || shape.sent == shape.received);
  MPI_Request request;
  if (sends) {
    from.send_init(shape.sent, &request);
  } else {
    to.receive_init(shape.received, &request);
    int flag = -1;
    seen.note("parrived of one at rest", MPI_Parrived(request, 0, &flag));
    seen.note("flag", flag);
    seen.note_bytes("nothing came", to.field());
  }
  for (int round = 0; round < 5; ++round) {
    if (round == 2) twin.half_time();
    from.refill(10 + round);
    to.refill(20 + round);
    due.refill(10 + round);
    MPI_Status status = marked_status();
    seen.note("start", MPI_Start(&request));
    if (sends) {
      ready(from, shape.sent, round % 3, request, seen);
      finish(&request, round, &status, seen);
      continue;
    }
    for (int p = shape.received - 1; polls && p >= 0; p -= 1 + round % 2) {
      wait_for(request, p);
      to.arrived(p);
      CHECK(to.checksum(p) == due.checksum(p, to), "round %d: partition %d of %d is not there", round, p,
            shape.received);
      // The program's from now on.
      to.overwrite(p, other);
      wait_for(request, p);
    }
    finish(&request, round, &status, seen);
    for (int p = shape.received - 1, q = p; p >= 0; --p) {
      const bool asked = polls && p == q;
      if (!asked) to.arrived(p);
      if (p == q) q -= 1 + round % 2;
    }
    seen.note_status("status", status, MPI_BYTE);
    seen.note_bytes("what came", to.field());
    int flag = -1;
    seen.note("parrived of one that is over", MPI_Parrived(request, shape.received - 1, &flag));
    seen.note("flag", flag);
    seen.note_bytes("still", to.field());
  }
  seen.note("null", request == MPI_REQUEST_NULL);
  seen.note("free", MPI_Request_free(&request));
  seen.note("null", request == MPI_REQUEST_NULL);
}

// Less comes than there is room for: an error for MPICH and Intel MPI, with the data all the same.
void room_to_spare(Twin& twin, const Message& m, int round, Transcript& seen) {
  constexpr int kPartitions = 4;
  const bool sends = twin.rank() == 0;
  test::Field field(test::span_of(m.type, 2 * kPartitions), m.seed * 64 + static_cast<std::uint64_t>(sends));
  MPI_Request request;
  if (sends) {
    MPI_Psend_init(field.buffer(), kPartitions, 1, m.type, 1, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  } else {
    MPI_Precv_init(field.buffer(), kPartitions, 2, m.type, 0, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  }
  MPI_Start(&request);
  for (int p = 0; sends && p < kPartitions; ++p) MPI_Pready(p, request);
  MPI_Status status = marked_status();
  int index = 0, flag = 0, done = 0, code = MPI_SUCCESS;
  if (sends || round == 0)
    code = MPI_Wait(&request, &status);
  else if (round == 1)
    code = MPI_Waitall(1, &request, &status);
  else if (round == 2)
    code = MPI_Waitany(1, &request, &index, &status);
  else if (round == 3)
    code = MPI_Waitsome(1, &request, &done, &index, &status);
  else
    while (flag == 0 && code == MPI_SUCCESS) code = MPI_Test(&request, &flag, &status);
  seen.note("class", test::error_class(code));
  int bytes = -1;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  if (!sends) seen.note("bytes", bytes);
  seen.note_bytes("data", field);
  MPI_Request_free(&request);
}

// Each of two threads makes its half of the partitions ready, and waits for its half.
void two_threads(Twin& twin, const Message& m, Transcript& seen) {
  constexpr int kPartitions = 8;
  Divided from(twin, m, kPartitions, 1), to(twin, m, kPartitions, 2);
  const bool sends = twin.rank() == 0;
  MPI_Request request;
  if (sends) {
    from.send_init(kPartitions, &request);
  } else {
    to.receive_init(kPartitions, &request);
  }
  for (int round = 0; round < 4; ++round) {
    from.refill(10 + round);
    to.refill(20 + round);
    MPI_Start(&request);
    long long sums[kPartitions] = {};
    const auto half = [&](int thread) {
      for (int k = 0; k < kPartitions / 2; ++k) {
        const int p = 2 * k + thread;
        if (sends) {
          from.prepare(p);
          CHECK(MPI_Pready(p, request) == MPI_SUCCESS, "partition %d", p);
          continue;
        }
        // Both ask for some of them.
        if (k == 1) wait_for(request, 2 * k + 1 - thread);
        wait_for(request, p);
        to.arrived(p);
        sums[p] = to.checksum(p);
      }
    };
    std::thread other(half, 1);
    half(0);
    other.join();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (const long long sum : sums) seen.note("partition", sum);
    seen.note_bytes("what came", to.field());
  }
  MPI_Request_free(&request);
}

// Started and completed together with other persistent requests.
void in_a_list(Twin& twin, const Message& m, Transcript& seen) {
  constexpr int kElements = 4, kPartitions = 2;
  Divided from(twin, m, kElements, 1), to(twin, m, kElements, 2);
  test::Field out = m.field(3), in = m.field(4);
  MPI_Request requests[4];
  // Both sides must make theirs in an order in which they match.
  from.send_init(kPartitions, &requests[0]);
  to.receive_init(kPartitions, &requests[1]);
  MPI_Send_init(out.buffer(), m.count, m.type, twin.peer(), 6, MPI_COMM_WORLD, &requests[2]);
  MPI_Recv_init(in.buffer(), m.count, m.type, twin.peer(), 6, MPI_COMM_WORLD, &requests[3]);
  for (int round = 0; round < 3; ++round) {
    from.refill(10 * twin.rank() + round);
    to.refill(30 + round);
    MPI_Status statuses[4];
    std::fill_n(statuses, 4, marked_status());
    seen.note("startall", MPI_Startall(4, requests));
    ready(from, kPartitions, round % 3, requests[0], seen);
    seen.note("waitall", MPI_Waitall(4, requests, statuses));
    for (int p = 0; p < kPartitions; ++p) to.arrived(p);
    seen.note_status("partitioned", statuses[1], MPI_BYTE);
    seen.note_status("persistent", statuses[3], m.type);
    seen.note_bytes("what came", to.field());
    seen.note_bytes("and", in);
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

void wrong_use(Twin& twin, const Message& m, Transcript& seen) {
  Divided field(twin, m, 4, 1);
  const auto one = [&](const char* what, bool sends, int partitions, MPI_Count count, MPI_Datatype type, int peer) {
    MPI_Request request = MPI_REQUEST_NULL;
    char room[8];
    const int code =
        sends ? MPI_Psend_init(room, partitions, count, type, peer, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request)
              : MPI_Precv_init(room, partitions, count, type, peer, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    seen.note(what, test::error_class(code));
    seen.note(what, request == MPI_REQUEST_NULL);
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  };
  for (const bool sends : {true, false}) {
    one("count", sends, 2, -1, m.type, twin.peer());
    one("rank", sends, 2, 1, m.type, 99);
    one("type", sends, 2, 1, MPI_DATATYPE_NULL, twin.peer());
  }
}

#endif

}  // namespace

int main(int argc, char** argv) {
#if !HAS_SESSIONS
  (void)argc, (void)argv;
  std::puts("skipped: this library has no partitioned communication");
  return kSkipped;
#else
  Twin twin(&argc, &argv, MPI_THREAD_MULTIPLE);
  twin.for_each_message(argc > 1 ? std::atoi(argv[1]) : 16, 8, [&](const Message& m) {
    const std::string s = " seed " + std::to_string(m.seed);
    const auto run = [&](const std::string& name, auto&& scenario) { twin.compare(name + s, scenario); };
    for (const Shape shape : {Shape{1, 1}, {4, 4}, {6, 2}, {3, 4}}) {
      for (const bool asks : {false, true}) {
        // A large message's fields take longer to fill than to exchange.
        if (m.span.high - m.span.low > 1 << 16 && !(asks && shape.sent == 4)) continue;
        const std::string name = std::to_string(shape.sent) + " to " + std::to_string(shape.received);
        run(name + (asks ? ", asked" : ""), [&](Transcript& seen) { rounds(twin, m, shape, asks, seen); });
      }
    }
    run("two threads", [&](Transcript& seen) { two_threads(twin, m, seen); });
    run("in a list", [&](Transcript& seen) { in_a_list(twin, m, seen); });
    // Without any layer, Open MPI 5.0.11 looks at no argument: a wrong rank ends the job.
    for (int round = 0; round < 5 && PARTITIONED_IS_SOUND; ++round) {
      run("room to spare " + std::to_string(round), [&](Transcript& seen) { room_to_spare(twin, m, round, seen); });
    }
    if (PARTITIONED_IS_SOUND) run("wrong use", [&](Transcript& seen) { wrong_use(twin, m, seen); });
  });
  return 0;
#endif
}

// Once warm, the layer allocates nothing and takes no lock of its own, whatever the library below does: every way to
// move data from one process to the other, with types that are packed, small and large.
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "calls/watched_calls.hpp"
#include "support.hpp"

namespace {

using gapless::test::WatchedCalls;

constexpr int kWarmRounds = 30, kRounds = 50, kTag = 3;
int rank, failures = 0;

struct Buffers {
  std::vector<double> from, to;
  std::vector<char> packed;
  MPI_Datatype type;
};

struct Case {
  const char* name;
  const char* counted;  // the procedure that must have been accelerated, on both ranks
  std::function<void(Buffers&)> round;
};

int peer() {
  return 1 - rank;
}

void ping_pong(int (*send)(const void*, int, MPI_Datatype, int, int, MPI_Comm), Buffers& b) {
  if (rank == 0) send(b.from.data(), 1, b.type, 1, kTag, MPI_COMM_WORLD);
  MPI_Recv(b.to.data(), 1, b.type, peer(), kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) send(b.from.data(), 1, b.type, 0, kTag, MPI_COMM_WORLD);
}

void begin(Buffers& b, MPI_Request requests[2]) {
  MPI_Irecv(b.to.data(), 1, b.type, peer(), kTag, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(b.from.data(), 1, b.type, peer(), kTag, MPI_COMM_WORLD, &requests[1]);
}

const std::vector<Case> cases = {
    {"Send, Recv", "MPI_Recv", [](Buffers& b) { ping_pong(MPI_Send, b); }},
    {"Ssend, Recv", "MPI_Ssend", [](Buffers& b) { ping_pong(MPI_Ssend, b); }},
    {"Sendrecv", "MPI_Sendrecv",
     [](Buffers& b) {
       MPI_Sendrecv(b.from.data(), 1, b.type, peer(), kTag, b.to.data(), 1, b.type, peer(), kTag, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE);
     }},
    {"Isend, Irecv, Wait", "MPI_Isend",
     [](Buffers& b) {
       MPI_Request requests[2];
       begin(b, requests);
       MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
       MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
     }},
    {"Isend, Irecv, Waitall", "MPI_Irecv",
     [](Buffers& b) {
       MPI_Request requests[2];
       begin(b, requests);
       MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
     }},
    {"Isend, Irecv, Testall", "MPI_Irecv",
     [](Buffers& b) {
       MPI_Request requests[2];
       begin(b, requests);
       for (int done = 0; !done;) MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
     }},
    {"Isend, Irecv, Waitany", "MPI_Irecv",
     [](Buffers& b) {
       MPI_Request requests[2];
       begin(b, requests);
       int which;
       for (int i = 0; i < 2; ++i) MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE);
     }},
    {"Send_init, Recv_init, Startall, Waitall, Request_free", "MPI_Recv_init",
     [](Buffers& b) {
       MPI_Request requests[2];
       MPI_Recv_init(b.to.data(), 1, b.type, peer(), kTag, MPI_COMM_WORLD, &requests[0]);
       MPI_Send_init(b.from.data(), 1, b.type, peer(), kTag, MPI_COMM_WORLD, &requests[1]);
       for (int start = 0; start < 3; ++start) {
         MPI_Startall(2, requests);
         MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
       }
       for (MPI_Request& request : requests) MPI_Request_free(&request);
     }},
    {"Isend, Mprobe, Mrecv, Wait", "MPI_Mrecv",
     [](Buffers& b) {
       MPI_Request request;
       MPI_Message message;
       MPI_Isend(b.from.data(), 1, b.type, peer(), kTag, MPI_COMM_WORLD, &request);
       MPI_Mprobe(peer(), kTag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
       MPI_Mrecv(b.to.data(), 1, b.type, &message, MPI_STATUS_IGNORE);
       MPI_Wait(&request, MPI_STATUS_IGNORE);
     }},
    {"Pack, Unpack", "MPI_Pack",
     [](Buffers& b) {
       int position = 0;
       const int size = static_cast<int>(b.packed.size());
       MPI_Pack(b.from.data(), 1, b.type, b.packed.data(), size, &position, MPI_COMM_WORLD);
       position = 0;
       MPI_Unpack(b.packed.data(), size, &position, b.to.data(), 1, b.type, MPI_COMM_WORLD);
     }},
};

void run(const Case& one, const std::string& what, Buffers& b) {
  for (int i = 0; i < kWarmRounds; ++i) one.round(b);
  MPI_Barrier(MPI_COMM_WORLD);
  const long long before = test::layer().accelerated(one.counted);
  gapless::test::watch_calls();
  for (int i = 0; i < kRounds; ++i) one.round(b);
  const WatchedCalls calls = gapless::test::end_watch();
  const long long accelerated = test::layer().accelerated(one.counted) - before;
  CHECK(accelerated >= kRounds, "%s, %s: %lld accelerated", one.name, what.c_str(), accelerated);
  if (calls.ours == 0) return;
  ++failures;
  std::fprintf(stderr, "rank %d: %s, %s: %d calls of the layer in %d rounds\n", rank, one.name, what.c_str(),
               calls.ours, kRounds);
  gapless::test::print_watched_calls();
}

// A first use builds a plan and must be seen to allocate: else a count of nothing would prove nothing.
void check_the_watch() {
  MPI_Datatype type;
  MPI_Type_vector(33, 1, 3, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  std::vector<double> from(100), to(100);
  int position = 0;
  gapless::test::watch_calls();
  MPI_Pack(from.data(), 1, type, to.data(), 800, &position, MPI_COMM_WORLD);
  const WatchedCalls calls = gapless::test::end_watch();
  CHECK(calls.ours > 0, "the layer's allocations are not seen");
  MPI_Type_free(&type);
}

}  // namespace

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  (void)test::layer();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  check_the_watch();
  for (const int doubles : {8, 400, 8000, 130'000}) {
    for (const bool listed : {false, true}) {
      Buffers b{std::vector<double>(static_cast<std::size_t>(doubles) * 4 + 8, rank), {}, {}, MPI_DATATYPE_NULL};
      b.to = b.from;
      b.packed.resize(static_cast<std::size_t>(doubles) * sizeof(double));
      if (listed) {
        std::vector<int> places;
        for (int i = 0; i < doubles; ++i) places.push_back(3 * i + i * i % 7 % 3);
        MPI_Type_create_indexed_block(doubles, 1, places.data(), MPI_DOUBLE, &b.type);
      } else {
        MPI_Type_vector(doubles, 1, 2, MPI_DOUBLE, &b.type);
      }
      MPI_Type_commit(&b.type);
      const std::string what = (listed ? "list of " : "vector of ") + std::to_string(doubles) + " doubles";
      for (const Case& one : cases) run(one, what, b);
      MPI_Type_free(&b.type);
    }
  }
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}

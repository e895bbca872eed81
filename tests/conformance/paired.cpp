// Collectives that go through the memory which the processes of a node share, where that could go wrong: nothing at
// some ranks, neighbours met twice, ranks that come late, messages and other operations that need progress meanwhile.
// usage: paired WHAT [LENGTH]
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <thread>
#include <utility>

#include "paired.hpp"

using namespace conformance;

namespace {

int length = 40'000;          // ints of a block
constexpr int kSkipped = 77;  // run.py's
Members world(MPI_Comm comm = MPI_COMM_WORLD) {
  return Members(comm);
}

bool is_open_mpi() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int bytes;
  MPI_Get_library_version(version, &bytes);
  return std::strstr(version, "Open MPI") != nullptr;
}

void sleep_ms(int ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

// Large blocks from even to odd ranks only: the others have counts of zero, at addresses that are none. A rank that has
// nothing at all gives the same lists, and no buffer, for both directions, where the library takes that.
void idle() {
  const auto [rank, size] = world();
  const int idler = size - 1;
  const auto has = [&](int from, int to) { return from % 2 == 0 && to % 2 == 1 && from != idler && to != idler; };
  for (int round = 0; round < 6; ++round) {
    const auto n = static_cast<std::size_t>(size);
    Blocks out(size, length, 2), in(size, length, 3);
    std::vector<int> sends(n, 0), receives(n, 0), from(n, 0), to(n, 0), index(n, 0);
    std::vector<MPI_Datatype> sent(n, MPI_INT), received(n, MPI_INT);
    for (int k = 0; k < size; ++k) {
      const auto at = static_cast<std::size_t>(k);
      index[at] = k;
      if (has(rank, k)) out.write(k, rank, k, round), sends[at] = 1, from[at] = k * out.bytes_apart();
      if (has(k, rank)) receives[at] = 1, to[at] = k * in.bytes_apart();
      if (has(rank, k) || round % 2 == 0) sent[at] = out.type();
      if (has(k, rank) || round % 2 == 0) received[at] = in.type();
    }
    const bool is_idle = rank == idler, gives_same = is_idle && is_open_mpi();
    void *const out_data = is_idle ? nullptr : out.data(), *const in_data = is_idle ? nullptr : in.data();
    const auto& in_counts = gives_same ? sends : receives;
    const auto& in_types = gives_same ? sent : received;
    int code = MPI_Alltoallw(out_data, sends.data(), from.data(), sent.data(), in_data, in_counts.data(), to.data(),
                             in_types.data(), MPI_COMM_WORLD);
    CHECK(code == MPI_SUCCESS, "code %d", code);
    for (int k = 0; k < size; ++k) has(k, rank) ? in.expect(k, k, rank, round, "w") : in.expect_nothing(k, "w");
    code = MPI_Alltoallv(out_data, sends.data(), index.data(), out.type(), in_data, in_counts.data(), index.data(),
                         gives_same ? out.type() : in.type(), MPI_COMM_WORLD);
    CHECK(code == MPI_SUCCESS, "code %d", code);
    for (int k = 0; k < size; ++k) has(k, rank) ? in.expect(k, k, rank, round, "v") : in.expect_nothing(k, "v");
  }
}

// Sides that are described from MPI_BOTTOM, one, the other or both, and MPI_IN_PLACE.
void bottom() {
  const auto [rank, size] = world();
  const auto absolute = [](Blocks& blocks, int k) {
    const int one = 1;
    MPI_Aint address;
    MPI_Datatype type;
    MPI_Get_address(blocks.block(k), &address);
    const MPI_Datatype old = blocks.type();
    MPI_Type_create_struct(1, &one, &address, &old, &type);
    MPI_Type_commit(&type);
    return type;
  };
  const auto n = static_cast<std::size_t>(size);
  const std::vector<int> ones(n, 1), zeros(n, 0);
  for (int round = 0; round < 4; ++round) {
    Blocks out(size, length, 2), in(size, length, 3), root(1, length, 2);
    std::vector<MPI_Datatype> sent, received;
    std::vector<int> from, to;
    const bool out_absolute = (round + rank) % 2 == 0, in_absolute = round % 2 == 0;
    for (int k = 0; k < size; ++k) {
      out.write(k, rank, k, round);
      sent.push_back(out_absolute ? absolute(out, k) : out.type());
      received.push_back(in_absolute ? absolute(in, k) : in.type());
      from.push_back(out_absolute ? 0 : k * out.bytes_apart());
      to.push_back(in_absolute ? 0 : k * in.bytes_apart());
    }
    MPI_Alltoallw(out_absolute ? MPI_BOTTOM : out.data(), ones.data(), from.data(), sent.data(),
                  in_absolute ? MPI_BOTTOM : in.data(), ones.data(), to.data(), received.data(), MPI_COMM_WORLD);
    for (int k = 0; k < size; ++k) in.expect(k, k, rank, round, "from MPI_BOTTOM");
    for (auto& type : sent)
      if (out_absolute) MPI_Type_free(&type);
    for (auto& type : received)
      if (in_absolute) MPI_Type_free(&type);
    const int sender = round % size;
    if (rank == sender) root.write(0, sender, 0, round);
    MPI_Datatype type = absolute(root, 0);
    MPI_Bcast(in_absolute ? MPI_BOTTOM : root.data(), 1, in_absolute ? type : root.type(), sender, MPI_COMM_WORLD);
    root.expect(0, sender, 0, round, "bcast from MPI_BOTTOM");
    MPI_Type_free(&type);
    for (int k = 0; k < size; ++k) in.write(k, rank, k, round), to[static_cast<std::size_t>(k)] = k * in.bytes_apart();
    const std::vector<MPI_Datatype> types(n, in.type());
    MPI_Alltoallw(MPI_IN_PLACE, nullptr, nullptr, nullptr, in.data(), ones.data(), to.data(), types.data(),
                  MPI_COMM_WORLD);
    for (int k = 0; k < size; ++k) in.expect(k, k, rank, round, "in place");
  }
}

// A torus with a dimension of one process, which is its own neighbour twice; of two, whose neighbour is met twice; and
// a plane with edges, beyond which there is nobody.
void torus() {
  const test::Layer layer = test::layer();
  const int size = world().size;
  const std::vector<std::vector<int>> shapes{{size, 1}, {size % 2 == 0 ? size / 2 : size, size % 2 == 0 ? 2 : 1}};
  for (const auto& shape : shapes) {
    for (const bool is_periodic : {true, false}) {
      const int periods[] = {is_periodic, is_periodic};
      MPI_Comm grid;
      MPI_Cart_create(MPI_COMM_WORLD, 2, shape.data(), periods, 1, &grid);
      int peers[4], rank;
      MPI_Comm_rank(grid, &rank);
      for (int k = 0; k < 2; ++k) MPI_Cart_shift(grid, k, 1, &peers[2 * k], &peers[2 * k + 1]);
      for (int round = 0; round < 3; ++round) {
        Blocks out(4, length, 2), in(4, length, 1 + round);
        int ones[] = {1, 1, 1, 1}, index[] = {0, 1, 2, 3};
        MPI_Aint from[4], to[4];
        MPI_Datatype sent[4], received[4];
        for (int k = 0; k < 4; ++k) {
          out.write(k, rank, 4 * (peers[k] + 1) + k, round);
          from[k] = k * out.bytes_apart(), to[k] = k * in.bytes_apart();
          sent[k] = out.type(), received[k] = in.type();
        }
        // What comes from below is what my neighbour sent above. MPI 4.0 does not say which of two is meant where a
        // neighbour is met twice, and libraries differ: it must be as without the layer.
        bool crosses[3][4] = {};
        const auto expect = [&](bool on, int call, const char* what) {
          for (int k = 0; k < 4; ++k) {
            if (peers[k] == MPI_PROC_NULL) {
              in.expect_nothing(k, what);
              continue;
            }
            const bool is_twice = peers[k] == peers[k ^ 1];
            if (!on) crosses[call][k] = !is_twice || in.block(k)[0] != first_value(peers[k], 4 * (rank + 1) + k, round);
            in.expect(k, peers[k], 4 * (rank + 1) + (crosses[call][k] ? k ^ 1 : k), round, what);
          }
        };
        for (const bool on : {false, true}) {
          layer.set_collectives(on);
          layer.set(on);
          MPI_Neighbor_alltoallw(out.data(), ones, from, sent, in.data(), ones, to, received, grid);
          expect(on, 0, "neighbours, w");
          MPI_Neighbor_alltoallv(out.data(), ones, index, out.type(), in.data(), ones, index, in.type(), grid);
          expect(on, 1, "neighbours, v");
          MPI_Neighbor_alltoall(out.data(), 1, out.type(), in.data(), 1, in.type(), grid);
          expect(on, 2, "neighbours");
        }
      }
      MPI_Comm_free(&grid);
    }
  }
}

// One rank after the other comes late: long enough for the others to ask whether it still runs, and more.
void late() {
  const auto [rank, size] = world();
  for (int who = 0; who < size; ++who) {
    if (rank == who) sleep_ms(180);
    all_to_all(MPI_COMM_WORLD, length, who);
    if (rank == who) sleep_ms(180);
    broadcast(MPI_COMM_WORLD, (who + 1) % size, length, who);
    if (rank != who) continue;
    // A computation, in which nothing calls MPI.
    volatile double sum = 0;
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(120);
    while (std::chrono::steady_clock::now() < until) sum = sum + 1.0;
  }
}

// Messages that the library delivers only with the sender's help, and operations that it completes with everybody's,
// are under way while a rank is in a collective call; another rank comes there only when they are through.
void outstanding() {
  const auto [rank, size] = world();
  constexpr int kBig = 1 << 20;
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  std::vector<int> out(kBig), in(kBig);
  for (int round = 0; round < 2 * size; ++round) {
    const int first = round % size;  // the rank that enters at once
    out[kBig - 1] = 77 + rank + round;
    MPI_Request requests[2];
    MPI_Isend(out.data(), kBig, MPI_INT, next, round, MPI_COMM_WORLD, &requests[0]);
    if (rank == (first + 1) % size) {  // its neighbour takes the message first
      MPI_Recv(in.data(), kBig, MPI_INT, before, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      requests[1] = MPI_REQUEST_NULL;
    } else {
      MPI_Irecv(in.data(), kBig, MPI_INT, before, round, MPI_COMM_WORLD, &requests[1]);
    }
    round % 2 == 0 ? all_to_all(MPI_COMM_WORLD, length, round) : broadcast(MPI_COMM_WORLD, first, length, round);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(in[kBig - 1] == 77 + before + round, "the message of round %d", round);
    MPI_Request barrier;
    int ones[2] = {rank, 0};
    MPI_Request sum;
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    MPI_Iallreduce(&ones[0], &ones[1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &sum);
    if (rank != first) MPI_Wait(&barrier, MPI_STATUS_IGNORE), MPI_Wait(&sum, MPI_STATUS_IGNORE);
    all_to_all(MPI_COMM_WORLD, length, round);
    if (rank == first) MPI_Wait(&sum, MPI_STATUS_IGNORE), MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    CHECK(ones[1] == size * (size - 1) / 2, "the sum of round %d", round);
  }
}

// Two threads of each process, each on a communicator of its own; that which begins is another one at odd ranks.
void threads() {
  const int rank = world().rank;
  MPI_Comm comms[2];
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const auto work = [&](int which) {
    for (int round = 0; round < 24; ++round) {
      if ((round + rank + which) % 4 == 0) sleep_ms(1);
      all_to_all(comms[which], length / (1 + round % 3), 100 * which + round);
      broadcast(comms[which], (round + which) % world().size, length, 100 * which + round);
    }
  };
  std::thread other(work, rank % 2);
  work(1 - rank % 2);
  other.join();
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

// The layer off on one rank, then on another: w-calls look at that.
void switched() {
  const test::Layer layer;
  const auto [rank, size] = world();
  for (int round = 0; round < 3 * size; ++round) {
    if (layer.present()) layer.set(rank != round % size);
    all_to_all(MPI_COMM_WORLD, length, round);
    broadcast(MPI_COMM_WORLD, round % size, length, round);
  }
  if (layer.present()) layer.set(true);
}

// Sizes on both sides of the smallest that is paired, and beyond a part, a window of chunks, and the pool.
void sizes() {
  const auto [rank, size] = world();
  MPI_Comm turned;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
  int round = 0;
  for (const int ints : {1, 24, 25, 26, 1023, 1025, 16'383, 16'384, 16'385, 50'000, 300'000}) {
    for (const MPI_Comm comm : {MPI_COMM_WORLD, turned}) {
      ++round;
      all_to_all(comm, ints, round, 2, 1 + round % 3);
      all_to_all(comm, ints, round, 1, 2);
      broadcast(comm, round % size, ints, round);
    }
  }
  MPI_Comm_free(&turned);
}

// [bytes]
long long available() {
  std::ifstream all("/proc/meminfo");
  for (std::string line; std::getline(all, line);) {
    long long kib;
    if (std::sscanf(line.c_str(), "MemAvailable: %lld kB", &kib) == 1) return kib << 10;
  }
  return 0;
}

// More bytes in all than an int can say, on rank 0 alone; each block is below that.
void large() {
  const auto [rank, size] = world();
  constexpr int kInts = 275'000'000;
  int has_room = available() > 14ll << 30 ? 1 : 0;
  MPI_Bcast(&has_room, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (has_room == 0) {
    if (rank == 0) std::puts("skipped: it takes 14 GB of memory");
    MPI_Finalize();
    std::exit(kSkipped);
  }
  const auto n = static_cast<std::size_t>(size);
  Blocks out(1, rank == 0 ? kInts : 1, 2), in(1, rank == 0 ? 1 : kInts, 2);
  if (rank == 0) out.write(0, 0, 0, 1);
  std::vector<int> sends(n, 0), receives(n, 0), zeros(n, 0);
  for (std::size_t k = 1; k < n; ++k) sends[k] = rank == 0 ? 1 : 0;
  receives[0] = rank == 0 ? 0 : 1;
  const std::vector<MPI_Datatype> sent(n, out.type()), received(n, in.type());
  MPI_Alltoallw(out.data(), sends.data(), zeros.data(), sent.data(), in.data(), receives.data(), zeros.data(),
                received.data(), MPI_COMM_WORLD);
  if (rank != 0) in.expect(0, 0, 0, 1, "large, w");
  MPI_Alltoallv(out.data(), sends.data(), zeros.data(), out.type(), in.data(), receives.data(), zeros.data(), in.type(),
                MPI_COMM_WORLD);
  if (rank != 0) in.expect(0, 0, 0, 1, "large, v");
}

// Two ranks do not agree on a size. Whoever gets more than it has room for must be told, all others go on.
void truncated() {
  const auto [rank, size] = world();
  if (size < 2) return;
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  const auto n = static_cast<std::size_t>(size);
  Blocks out(size, length, 2), in(size, length - 1, 3);
  std::vector<int> sends(n, 0), receives(n, 0);
  const std::vector<int> zeros(n, 0);
  const std::vector<MPI_Datatype> sent(n, out.type()), received(n, in.type());
  if (rank == 0) sends[1] = 1;
  if (rank == 1) receives[0] = 1;
  const int code = MPI_Alltoallw(out.data(), sends.data(), zeros.data(), sent.data(), in.data(), receives.data(),
                                 zeros.data(), received.data(), own);
  if (rank == 1) CHECK(code != MPI_SUCCESS, "a block of %d ints where there is room for %d", length, length - 1);
  // Nothing is left behind for another communicator.
  all_to_all(MPI_COMM_WORLD, length, 9);
}

const std::pair<std::string_view, void (*)()> kScenarios[] = {
    {"idle", idle},
    {"bottom", bottom},
    {"torus", torus},
    {"late", late},
    {"outstanding", outstanding},
    {"threads", threads},
    {"switched", switched},
    {"sizes", sizes},
    {"truncated", truncated},
    {"large", large},
};

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (argc > 2) length = std::atoi(argv[2]);
  const auto found =
      std::find_if(std::begin(kScenarios), std::end(kScenarios), [&](auto& one) { return one.first == what; });
  CHECK(found != std::end(kScenarios), "usage: paired WHAT [LENGTH]");
  int provided;
  MPI_Init_thread(&argc, &argv, what == "threads" ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  found->second();
  if (world().rank == 0) std::puts("the data are right");
  MPI_Finalize();
  return 0;
}

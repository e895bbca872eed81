// Which way a collective call goes that could go through the memory of a node: on all processes the same, by what each
// of them says, and the data are right whichever it is.
// usage: paired_routes plain | spent | mixed | graph | early | crowded | refused | freed | scarce
#include <algorithm>
#include <chrono>
#include <string_view>
#include <thread>
#include <utility>

#include "paired.hpp"
#include "tower.hpp"

using namespace conformance;

namespace {

const MPI_Comm kWorld = MPI_COMM_WORLD;
enum class Kind { kBcast, kScatter, kGather, kAllgather, kAllgatherv, kAlltoall };
constexpr const char* kNames[] = {"MPI_Bcast",     "MPI_Scatter",    "MPI_Gather",
                                  "MPI_Allgather", "MPI_Allgatherv", "MPI_Alltoall"};

struct Call {
  Kind kind;
  int root, length, round;
  bool gaps, in_place;  // this process's data have gaps; MPI_IN_PLACE, where there is such a thing

  void operator()(MPI_Comm comm) const {
    const auto [rank, size] = Members(comm);
    const bool is_root = rank == root, is_own = in_place && (is_root || kind > Kind::kGather);
    const char* const name = kNames[static_cast<int>(kind)];
    const int all = -1;
    Blocks out(size, length, gaps ? 2 : 1), in(size, length, gaps ? 3 : 1);
    const MPI_Datatype out_type = gaps ? out.type() : MPI_INT, in_type = gaps ? in.type() : MPI_INT;
    const int n = gaps ? 1 : length;
    const std::vector<int> counts(static_cast<std::size_t>(size), n);
    std::vector<int> turned;
    for (int k = size; k-- > 0;) turned.push_back(k * n);
    switch (kind) {
      case Kind::kBcast:
        if (is_root) in.write(0, root, all, round);
        MPI_Bcast(in.data(), n, in_type, root, comm);
        return in.expect(0, root, all, round, name);
      case Kind::kScatter:
        for (int k = 0; k < size && is_root; ++k) out.write(k, root, k, round);
        MPI_Scatter(out.data(), n, out_type, is_own ? MPI_IN_PLACE : in.data(), n, in_type, root, comm);
        return is_own ? out.expect(root, root, root, round, name) : in.expect(0, root, rank, round, name);
      case Kind::kGather:
        (is_own ? in : out).write(is_own ? root : 0, rank, root, round);
        MPI_Gather(is_own ? MPI_IN_PLACE : out.data(), n, out_type, in.data(), n, in_type, root, comm);
        for (int k = 0; k < size; ++k) is_root ? in.expect(k, k, root, round, name) : in.expect_nothing(k, name);
        return;
      case Kind::kAllgather:
        (is_own ? in : out).write(is_own ? rank : 0, rank, all, round);
        MPI_Allgather(is_own ? MPI_IN_PLACE : out.data(), n, out_type, in.data(), n, in_type, comm);
        for (int k = 0; k < size; ++k) in.expect(k, k, all, round, name);
        return;
      case Kind::kAllgatherv:
        (is_own ? in : out).write(is_own ? size - 1 - rank : 0, rank, all, round);
        MPI_Allgatherv(is_own ? MPI_IN_PLACE : out.data(), n, out_type, in.data(), counts.data(), turned.data(),
                       in_type, comm);
        for (int k = 0; k < size; ++k) in.expect(size - 1 - k, k, all, round, name);
        return;
      case Kind::kAlltoall:
        for (int k = 0; k < size; ++k) (is_own ? in : out).write(k, rank, k, round);
        MPI_Alltoall(is_own ? MPI_IN_PLACE : out.data(), n, out_type, in.data(), n, in_type, comm);
        for (int k = 0; k < size; ++k) in.expect(k, k, rank, round, name);
        return;
    }
  }
};

// With GAPLESS_STATS, where memory is shared and there is enough. A process whose data are contiguous is accelerated
// only by way of that memory.
bool sees_routes() {
  static const bool sees = test::Layer().counts() && shared_bytes() > 0;
  return sees;
}

// `with_gaps`: the process whose data have gaps; the number of processes: all; -1: none.
void route(MPI_Comm comm, Call call, int with_gaps, bool is_known) {
  const auto [rank, size] = Members(comm);
  const char* const name = kNames[static_cast<int>(call.kind)];
  call.gaps = with_gaps == size || with_gaps == rank;
  const long long before = sees_routes() ? test::Layer().accelerated(name) : 0;
  call(comm);
  MPI_Barrier(comm);
  if (!is_known || !sees_routes() || call.gaps) return;
  const bool is_decided_by_root = call.kind == Kind::kBcast || call.kind == Kind::kScatter;
  const bool is_paired = is_decided_by_root ? with_gaps == size || with_gaps == call.root : with_gaps >= 0;
  if (call.in_place && call.kind == Kind::kAlltoall) return;
  const long long more = test::Layer().accelerated(name) - before;
  CHECK(more == (is_paired ? 1 : 0), "rank %d, %s of %d ints, root %d, gaps on %d%s: paired on %lld, not %d", rank,
        name, call.length, call.root, with_gaps, call.in_place ? ", in place" : "", more, is_paired);
}

void plain(int length, int first, int rounds, bool is_known) {
  const int size = Members(kWorld).size;
  for (int round = first; round < first + rounds; ++round) {
    for (int with_gaps = -1; with_gaps <= size; ++with_gaps) {
      for (const bool in_place : {false, true}) {
        for (int kind = 0; kind <= static_cast<int>(Kind::kAlltoall); ++kind) {
          const Call call{static_cast<Kind>(kind), (round + kind) % size, length, round, false, in_place};
          route(kWorld, call, with_gaps, is_known);
        }
      }
    }
  }
  if (!is_known || !sees_routes()) return;
  // What a process sends to itself moves once, and is not sent.
  const long long before = test::Layer().count("MPI_Alltoallw").bytes;
  all_to_all(kWorld, length, 0);
  const long long bytes = test::Layer().count("MPI_Alltoallw").bytes - before;
  CHECK(bytes == 4LL * length * (2 * size - 1), "%lld bytes moved", bytes);
}

// Blocks of many sizes in one call, some too small to be paired, some empty, with gaps or without.
void mixed() {
  const auto [rank, size] = Members(kWorld);
  constexpr int kApart = 7000;
  const auto length = [](int from, int to, int round) {
    constexpr int kLengths[] = {0, 5, kApart, 40};
    return kLengths[(from + 2 * to + round) % 4];
  };
  for (int round = 0; round < 12; ++round) {
    const int out_gap = 1 + (rank + round) % 3, in_gap = 1 + (rank + round / 3) % 2;
    const auto n = static_cast<std::size_t>(size);
    std::vector<int> out(n * kApart * static_cast<std::size_t>(out_gap)),
        in(n * kApart * static_cast<std::size_t>(in_gap));
    std::vector<int> sends, receives, index, from, to;
    MPI_Datatype types[2];
    for (const bool is_in : {false, true}) {
      MPI_Type_create_resized(MPI_INT, 0, 4 * (is_in ? in_gap : out_gap), &types[is_in]);
      MPI_Type_commit(&types[is_in]);
    }
    for (int k = 0; k < size; ++k) {
      sends.push_back(length(rank, k, round)), receives.push_back(length(k, rank, round));
      index.push_back(k * kApart), from.push_back(4 * k * kApart * out_gap), to.push_back(4 * k * kApart * in_gap);
      for (int j = 0; j < kApart; ++j)
        out[static_cast<std::size_t>((k * kApart + j) * out_gap)] = first_value(rank, k, round) + j;
    }
    const auto check = [&](const char* what) {
      for (int k = 0; k < size; ++k) {
        for (int j = 0; j < kApart * in_gap; ++j) {
          const bool is_there = j % in_gap == 0 && j / in_gap < receives[static_cast<std::size_t>(k)];
          const int expected = is_there ? first_value(k, rank, round) + j / in_gap : -1;
          const int found = in[static_cast<std::size_t>(k * kApart * in_gap + j)];
          CHECK(found == expected, "%s, round %d, from %d to %d: int %d is %d, not %d", what, round, k, rank, j, found,
                expected);
        }
      }
    };
    std::fill(in.begin(), in.end(), -1);
    MPI_Alltoallv(out.data(), sends.data(), index.data(), types[0], in.data(), receives.data(), index.data(), types[1],
                  kWorld);
    check("v");
    const std::vector<MPI_Datatype> sent(n, types[0]), received(n, types[1]);
    std::fill(in.begin(), in.end(), -1);
    MPI_Alltoallw(out.data(), sends.data(), from.data(), sent.data(), in.data(), receives.data(), to.data(),
                  received.data(), kWorld);
    check("w");
    for (MPI_Datatype& type : types) MPI_Type_free(&type);
  }
}

// Neighbours in one direction only, in another order at each end, and each process its own neighbour.
void graph() {
  const auto [rank, size] = Members(kWorld);
  const int ahead = (rank + 1) % size, behind = (rank + size - 1) % size;
  const int targets[] = {ahead, rank}, sources[] = {rank, behind};
  MPI_Comm ring;
  MPI_Dist_graph_create_adjacent(kWorld, 2, sources, MPI_UNWEIGHTED, 2, targets, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &ring);
  constexpr int kLength = 20'000;
  for (int round = 0; round < 4; ++round) {
    Blocks out(2, kLength, 2), in(2, kLength, 3);
    const int ones[] = {1, 1}, index[] = {0, 1};
    const MPI_Aint from[] = {0, out.bytes_apart()}, to[] = {0, in.bytes_apart()};
    const MPI_Datatype sent[] = {out.type(), out.type()}, received[] = {in.type(), in.type()};
    for (int k = 0; k < 2; ++k) out.write(k, rank, targets[k], round);
    MPI_Neighbor_alltoallw(out.data(), ones, from, sent, in.data(), ones, to, received, ring);
    for (int k = 0; k < 2; ++k) in.expect(k, sources[k], rank, round, "w");
    MPI_Neighbor_alltoallv(out.data(), ones, index, out.type(), in.data(), ones, index, in.type(), ring);
    for (int k = 0; k < 2; ++k) in.expect(k, sources[k], rank, round, "v");
  }
  MPI_Comm_free(&ring);
}

// The root of a paired broadcast goes on before anybody else has come.
void early() {
  const auto [rank, size] = Members(kWorld);
  constexpr int kLength = 400'000;
  broadcast(kWorld, 0, kLength, 0);
  for (int root = 0; root < size && sees_routes(); ++root) {
    MPI_Barrier(kWorld);
    if (rank == root) {
      broadcast(kWorld, root, kLength, root);
      for (int k = 0; k < size; ++k) {
        if (k != root) MPI_Send(nullptr, 0, MPI_INT, k, root, kWorld);
      }
      continue;
    }
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    int has_come = 0;
    while (has_come == 0 && std::chrono::steady_clock::now() < until) {
      MPI_Iprobe(root, root, kWorld, &has_come, MPI_STATUS_IGNORE);
    }
    CHECK(has_come != 0, "rank %d: the root waits in the broadcast", rank);
    MPI_Recv(nullptr, 0, MPI_INT, root, root, kWorld, MPI_STATUS_IGNORE);
    broadcast(kWorld, root, kLength, root);
  }
}

// A process has room for one of its blocks only, for the others are late to read 20 of its 21 chunks: nobody must take
// that block. With GAPLESS_PAIRED_BYTES=4M.
void crowded() {
  const int rank = Members(kWorld).rank;
  broadcast(kWorld, 0, 10, 0);
  for (int round = 0; round < 3; ++round) {
    MPI_Barrier(kWorld);
    if (rank != 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    broadcast(kWorld, 0, 475'000, round);
    Call{Kind::kAlltoall, 0, 100, round, true, false}(kWorld);
  }
}

// On a new communicator the library refuses what one process gives, from and to which nothing goes.
void refused() {
  const auto [rank, size] = Members(kWorld);
  const int victim = size - 1;
  constexpr int kLength = 5000;
  for (const bool has_types : {false, true}) {
    MPI_Comm comm;
    MPI_Comm_dup(kWorld, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    Blocks out(size, kLength, 2), in(size, kLength, 3);
    const auto n = static_cast<std::size_t>(size);
    const bool is_refused = rank == victim;
    std::vector<int> counts(n, is_refused ? 0 : 1), index, from, to;
    counts[n - 1] = is_refused ? -1 : 0;
    for (int k = 0; k < size; ++k) {
      out.write(k, rank, k, 0);
      index.push_back(k), from.push_back(k * out.bytes_apart()), to.push_back(k * in.bytes_apart());
    }
    const std::vector<MPI_Datatype> sent(n, out.type()), received(n, in.type());
    const int code = has_types ? MPI_Alltoallw(out.data(), counts.data(), from.data(), sent.data(), in.data(),
                                               counts.data(), to.data(), received.data(), comm)
                               : MPI_Alltoallv(out.data(), counts.data(), index.data(), out.type(), in.data(),
                                               counts.data(), index.data(), in.type(), comm);
    CHECK((code == MPI_SUCCESS) == !is_refused, "rank %d: code %d", rank, code);
    for (int k = 0; k < victim && !is_refused; ++k) in.expect(k, k, rank, 0, "beside one that is refused");
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(sum == size * (size - 1) / 2, "the next sum on it is %d", sum);
    all_to_all(comm, kLength, 1);
    MPI_Comm_free(&comm);
  }
}

// More communicators, one after the other, than there are channels.
void freed() {
  const int size = Members(kWorld).size;
  for (int k = 0; k < 300; ++k) {
    MPI_Comm comm;
    MPI_Comm_dup(kWorld, &comm);
    route(comm, {Kind::kBcast, k % size, 500, k, false, false}, k % size, true);
    MPI_Comm_free(&comm);
  }
}

// Blocks that the library must pack or unpack at some ranks, an own one among them, and those whose rest goes by the
// library when others are paired: all is right, also where there is no staging for them.
void scarce() {
  constexpr int kLength = 40'000;
  const auto [rank, size] = Members(kWorld);
  const auto n = static_cast<std::size_t>(size);
  for (int root = 0; root < size; ++root) {
    Blocks out(1, kLength, 2), in(size, kLength, 3), plain(1, kLength, 1);
    std::vector<int> sends(n, 0), receives(n, 0), index(n, 0);
    const int strided = (root + 1) % size;  // its block is paired, the contiguous one of the other is not
    for (int k = 0; k < size; ++k) index[static_cast<std::size_t>(k)] = k;
    Blocks& mine = rank == strided ? out : plain;
    mine.write(0, rank, root, 5);
    const std::vector<int> zeros(n, 0);
    if (rank != root) sends[static_cast<std::size_t>(root)] = 1;
    if (rank == root) receives.assign(n, 1), receives[static_cast<std::size_t>(root)] = 0;
    MPI_Alltoallv(mine.data(), sends.data(), zeros.data(), mine.type(), in.data(), receives.data(), index.data(),
                  in.type(), kWorld);
    for (int k = 0; k < size && rank == root; ++k) {
      k == root ? in.expect_nothing(k, "own") : in.expect(k, k, root, 5, "paired, and the rest");
    }
    out.write(0, rank, rank, root);
    MPI_Allgather(out.data(), 1, out.type(), in.data(), 1, in.type(), kWorld);
    for (int k = 0; k < size; ++k) in.expect(k, k, k, root, "allgather");
    if (library_is("Intel")) continue;  // crashes on deep types
    MPI_Datatype top = tower_on(out.type());
    MPI_Gather(out.data(), 1, rank == root ? top : out.type(), in.data(), 1, in.type(), root, kWorld);
    for (int k = 0; k < size && rank == root; ++k) in.expect(k, k, k, root, "gather");
    if (rank != root) out.expect(0, rank, rank, root, "what is sent");
    MPI_Bcast(out.data(), 1, rank == strided ? top : out.type(), root, kWorld);
    out.expect(0, root, root, root, "bcast");
    MPI_Type_free(&top);
  }
}

void small_and_large() {
  const bool is_roomy = std::getenv("GAPLESS_PAIRED_BYTES") == nullptr;
  plain(10, 0, 1, is_roomy);
  plain(30'000, 1, 1, is_roomy);
}

// Many times as often as there are chunks.
void spent() {
  plain(1000, 0, 3, true);
}

constexpr std::pair<std::string_view, void (*)()> kScenarios[] = {
    {"plain", small_and_large}, {"spent", spent},     {"mixed", mixed}, {"graph", graph},  {"early", early},
    {"crowded", crowded},       {"refused", refused}, {"freed", freed}, {"scarce", scarce}};

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  const auto found =
      std::find_if(std::begin(kScenarios), std::end(kScenarios), [&](auto& one) { return one.first == what; });
  CHECK(found != std::end(kScenarios), "usage: paired_routes WHAT");
  MPI_Init(&argc, &argv);
  found->second();
  if (Members(kWorld).rank == 0) std::puts("the data are right");
  MPI_Finalize();
  return 0;
}

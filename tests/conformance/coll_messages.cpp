// Blocks of nonblocking v- and w-calls that go as messages through shared memory: that all which can does, and that the
// data are right whatever either end is like, in whatever order calls are completed, and where there is no room.
// usage: coll_messages each | kinds | scarce | switched | particles | line | too_long | finalizing
#include <algorithm>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

#include "callbacks.hpp"
#include "counted.hpp"
#include "paired.hpp"
#include "tower.hpp"

using namespace conformance;

namespace {

const MPI_Comm kWorld = MPI_COMM_WORLD;
constexpr int kLength = 9001;  // [ints] of a block that may be a message
enum class Procedure { kAlltoallw, kAlltoallv, kNeighbourW, kNeighbourV };
constexpr const char* kNames[] = {"MPI_Ialltoallw", "MPI_Ialltoallv", "MPI_Ineighbor_alltoallw",
                                  "MPI_Ineighbor_alltoallv"};

bool is_of_graph(Procedure procedure) {
  return procedure == Procedure::kNeighbourW || procedure == Procedure::kNeighbourV;
}

// Twice to the next process, once to the one before, and once to itself.
MPI_Comm make_graph() {
  const auto [rank, size] = Members(kWorld);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  const int targets[] = {next, next, before, rank}, sources[] = {before, before, next, rank};
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(kWorld, 4, sources, MPI_UNWEIGHTED, 4, targets, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &graph);
  return graph;
}

struct Kind {
  int stride = 2;  // 1: contiguous
  bool is_deep = false;
};

// One call: blocks of `length` ints, described as this process likes.
class Exchange {
 public:
  Exchange(Procedure procedure, MPI_Comm comm, int length, Kind out, Kind in, int round)
      : procedure_(procedure),
        round_(round),
        of_(comm),
        n_(is_of_graph(procedure) ? 4 : of_.size),
        out_(n_, length, out.stride),
        in_(n_, length, in.stride) {
    for (int k = 0; k < n_; ++k) out_.write(k, of_.rank, name_at_target(k), round);
    out_type_ = out.is_deep ? tower_on(out_.type()) : out_.type();
    in_type_ = in.is_deep ? tower_on(in_.type()) : in_.type();
    const auto n = static_cast<std::size_t>(n_);
    counts_.assign(n, 1);
    sent_.assign(n, out_type_), received_.assign(n, in_type_);
    for (int k = 0; k < n_; ++k) {
      from_.push_back(k * out_.bytes_apart()), to_.push_back(k * in_.bytes_apart()), places_.push_back(k);
      far_from_.push_back(from_.back()), far_to_.push_back(to_.back());
    }
    int* const counts = counts_.data();
    int code = MPI_SUCCESS;
    switch (procedure) {
      case Procedure::kAlltoallw:
        code = MPI_Ialltoallw(out_.data(), counts, from_.data(), sent_.data(), in_.data(), counts, to_.data(),
                              received_.data(), comm, &request);
        break;
      case Procedure::kAlltoallv:
        code = MPI_Ialltoallv(out_.data(), counts, places_.data(), out_type_, in_.data(), counts, places_.data(),
                              in_type_, comm, &request);
        break;
      case Procedure::kNeighbourW:
        code = MPI_Ineighbor_alltoallw(out_.data(), counts, far_from_.data(), sent_.data(), in_.data(), counts,
                                       far_to_.data(), received_.data(), comm, &request);
        break;
      case Procedure::kNeighbourV:
        code = MPI_Ineighbor_alltoallv(out_.data(), counts, places_.data(), out_type_, in_.data(), counts,
                                       places_.data(), in_type_, comm, &request);
        break;
    }
    CHECK(code == MPI_SUCCESS, "%s: code %d", kNames[static_cast<int>(procedure)], code);
    if (out.is_deep) MPI_Type_free(&out_type_);
    if (in.is_deep) MPI_Type_free(&in_type_);
  }

  void expect() {
    for (int k = 0; k < n_; ++k) {
      in_.expect(k, sender_of(k), is_of_graph(procedure_) ? k : of_.rank, round_, kNames[static_cast<int>(procedure_)]);
    }
  }

  MPI_Request request = MPI_REQUEST_NULL;

 private:
  // What a block is called where it arrives: by its number there.
  int name_at_target(int k) const { return k; }
  int sender_of(int k) const {
    if (!is_of_graph(procedure_)) return k;
    const int senders[] = {of_.rank + of_.size - 1, of_.rank + of_.size - 1, of_.rank + 1, of_.rank};
    return senders[k] % of_.size;
  }

  Procedure procedure_;
  int round_;
  Members of_;
  int n_;
  Blocks out_, in_;
  MPI_Datatype out_type_, in_type_;
  std::vector<int> counts_;
  // As long as the call is under way.
  std::vector<MPI_Datatype> sent_, received_;
  std::vector<int> from_, to_, places_;
  std::vector<MPI_Aint> far_from_, far_to_;
};

struct Comms {
  Comms() { MPI_Comm_dup(kWorld, &all), graph = make_graph(); }
  ~Comms() { MPI_Comm_free(&all), MPI_Comm_free(&graph); }
  Comms(const Comms&) = delete;
  Comms& operator=(const Comms&) = delete;
  MPI_Comm of(Procedure procedure) const { return is_of_graph(procedure) ? graph : all; }
  MPI_Comm all = MPI_COMM_NULL, graph = MPI_COMM_NULL;
};

constexpr Procedure kAll[] = {Procedure::kAlltoallw, Procedure::kAlltoallv, Procedure::kNeighbourW,
                              Procedure::kNeighbourV};

void wait(MPI_Request& request, int how) {
  int flag = 0;
  if (how % 2 == 0) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    while (flag == 0) MPI_Test(&request, &flag, MPI_STATUS_IGNORE), std::this_thread::yield();
  }
  CHECK(request == MPI_REQUEST_NULL, "a request is left");
}

// Every call with long blocks is paired, none of those with short ones; whether it was begun long before, and whatever
// else is under way on its communicator.
void each() {
  const test::Layer layer = test::layer();
  const Comms comms;
  for (const Procedure procedure : kAll) {
    const char* const name = kNames[static_cast<int>(procedure)];
    for (int round = 0; round < 8; ++round) {
      const bool is_short = round % 4 == 3;
      const long long before = layer.paired(name);
      Exchange one(procedure, comms.of(procedure), is_short ? 100 : kLength, {}, {3}, round);
      if (round % 3 == 1) all_to_all(comms.of(procedure), kLength, round);
      if (round % 3 == 2) pass_on(comms.of(procedure), kLength, round);
      wait(one.request, round);
      one.expect();
      CHECK(layer.paired(name) == before + (is_short ? 0 : 1), "%s, round %d: %lld calls paired", name, round,
            layer.paired(name) - before);
    }
  }
}

// Either end contiguous, with gaps, or of a type that is the library's; other processes, other kinds. A process whose
// type is such is sent no more after that, so these come last; and they begin when the others have, and have been told
// nothing yet.
void kinds() {
  const Comms comms;
  const std::vector<Kind> all = {{2}, {1}, {3}, {2, true}};
  const int rank = Members(kWorld).rank;
  for (const int n : {3, 4}) {
    if (n == 4 && library_is("Intel")) break;  // it crashes on deep types
    for (const Procedure procedure : kAll) {
      for (int round = 0; round < n * n; ++round) {
        const Kind& out = all[static_cast<std::size_t>((round + rank) % n)];
        const Kind& in = all[static_cast<std::size_t>((round / n + 2 * rank) % n)];
        if (in.is_deep) MPI_Barrier(kWorld);
        Exchange one(procedure, comms.of(procedure), kLength, out, in, round);
        if (!in.is_deep) MPI_Barrier(kWorld);
        wait(one.request, round);
        one.expect();
      }
    }
  }
}

// Many at a time, more than there is memory for; from behind, and with communicators that are freed meanwhile.
void scarce() {
  for (int round = 0; round < 4; ++round) {
    auto comms = std::make_unique<Comms>();
    std::vector<std::unique_ptr<Exchange>> under_way;
    for (int k = 0; k < 40; ++k) {
      const Procedure procedure = kAll[k % 4];
      under_way.push_back(
          std::make_unique<Exchange>(procedure, comms->of(procedure), kLength, Kind{}, Kind{3}, 100 * round + k));
    }
    if (round % 2 == 1) comms.reset();
    if (round / 2 == 1) std::reverse(under_way.begin(), under_way.end());
    for (const auto& one : under_way) wait(one->request, round);
    for (const auto& one : under_way) one->expect();
  }
}

// In each round some processes are switched off: they pack nothing, and find what others have packed.
void switched() {
  const test::Layer layer = test::layer();
  const Comms comms;
  const auto [rank, size] = Members(kWorld);
  for (int round = 0; round < 16; ++round) {
    for (const Procedure procedure : kAll) {
      const bool is_on = (round >> rank % 3 & 1) == 0;
      layer.set(is_on);
      Exchange one(procedure, comms.of(procedure), kLength, {}, {3}, round);
      if (round % 2 == 1) layer.set(!is_on);
      wait(one.request, round / 2);
      one.expect();
    }
  }
  layer.set(true);
}

// Particles of 13 bytes: a whole header would end inside one of their doubles. Each to the next process, from every
// second place to every third one.
void particles() {
  constexpr int kParticles = 4000, kBytes = 13;
  const auto [rank, size] = Members(kWorld);
  const int lengths[] = {1, 1, 1};
  const MPI_Aint places[] = {0, 8, 12};
  const MPI_Datatype members[] = {MPI_DOUBLE, MPI_INT, MPI_CHAR};
  MPI_Datatype particle, out, in;
  MPI_Type_create_struct(3, lengths, places, members, &particle);
  MPI_Type_create_hvector(kParticles, 1, 2 * kBytes, particle, &out);
  MPI_Type_create_hvector(kParticles, 1, 3 * kBytes, particle, &in);
  MPI_Type_commit(&out), MPI_Type_commit(&in), MPI_Type_free(&particle);
  const auto n = static_cast<std::size_t>(size);
  const std::vector<int> nothing(n, 0);
  std::vector<int> sent(n, 0), received(n, 0);
  sent[static_cast<std::size_t>((rank + 1) % size)] = received[static_cast<std::size_t>((rank + size - 1) % size)] = 1;
  const std::vector<MPI_Datatype> out_types(n, out), in_types(n, in);
  std::vector<unsigned char> from(2 * kParticles * kBytes), to(3 * kParticles * kBytes);
  const auto value = [](int sender, int j, int round) { return static_cast<unsigned char>(sender + j / 5 + round); };
  const long long before = test::layer().paired("MPI_Ialltoallw");
  for (int round = 0; round < 6; ++round) {
    std::fill(to.begin(), to.end(), 255);
    for (int j = 0; j < 2 * kParticles * kBytes; ++j) from[static_cast<std::size_t>(j)] = value(rank, j, round) & 127;
    MPI_Request request;
    MPI_Ialltoallw(from.data(), sent.data(), nothing.data(), out_types.data(), to.data(), received.data(),
                   nothing.data(), in_types.data(), kWorld, &request);
    wait(request, round);
    for (int j = 0; j < 3 * kParticles * kBytes; ++j) {
      const int at = j % (3 * kBytes), where = j / (3 * kBytes) * 2 * kBytes + at;
      const int expected = at < kBytes ? value((rank + size - 1) % size, where, round) & 127 : 255;
      CHECK(to[static_cast<std::size_t>(j)] == expected, "particles, round %d, byte %d: %d, not %d", round, j,
            to[static_cast<std::size_t>(j)], expected);
    }
  }
  CHECK(test::layer().paired("MPI_Ialltoallw") == before + 6, "not all particles went as messages");
  MPI_Type_free(&out), MPI_Type_free(&in);
}

// On a line of processes, whose ends have no neighbour, and say so by an address that is none.
void line() {
  const int size = Members(kWorld).size, no = 0;
  MPI_Comm comm;
  MPI_Cart_create(kWorld, 1, &size, &no, 0, &comm);
  const int rank = Members(comm).rank, peers[] = {rank - 1, rank + 1}, ones[] = {1, 1};
  const long long before = test::layer().paired("MPI_Ineighbor_alltoallw");
  for (int round = 0; round < 6; ++round) {
    Blocks out(2, kLength, 2), in(2, kLength, 3);
    MPI_Aint from[2] = {}, to[2] = {};
    const auto is_there = [&](int k) { return peers[k] >= 0 && peers[k] < size; };
    for (int k = 0; k < 2; ++k) {
      out.write(k, rank, k, round);
      if (is_there(k)) MPI_Get_address(out.block(k), &from[k]), MPI_Get_address(in.block(k), &to[k]);
    }
    const MPI_Datatype sent[] = {out.type(), out.type()}, received[] = {in.type(), in.type()};
    MPI_Request request;
    MPI_Ineighbor_alltoallw(MPI_BOTTOM, ones, from, sent, MPI_BOTTOM, ones, to, received, comm, &request);
    wait(request, round);
    for (int k = 0; k < 2; ++k) {
      is_there(k) ? in.expect(k, peers[k], 1 - k, round, "on a line") : in.expect_nothing(k, "beyond its end");
    }
  }
  CHECK(test::layer().paired("MPI_Ineighbor_alltoallw") == before + 6, "not all went as messages on a line");
  MPI_Comm_free(&comm);
}

// A block that is too long for its place is an error of the communicator, whose handler returns; what there is room for
// may have come.
void too_long() {
  MPI_Comm comm;
  MPI_Comm_dup(kWorld, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  if (library_is("Intel")) MPI_Comm_set_errhandler(kWorld, MPI_ERRORS_RETURN);  // it raises them there
  const auto [rank, size] = Members(comm);
  const auto n = static_cast<std::size_t>(size);
  for (const int length : {kLength / 2, 1200}) {  // less than any message has, and still as much as a header
    Blocks out(1, kLength, 2), in(1, length, 3);
    out.write(0, rank, 0, 0);
    std::vector<int> sent(n, 0), received(n, 0);
    const std::vector<int> nothing(n, 0);
    sent[static_cast<std::size_t>((rank + 1) % size)] = 1;
    received[static_cast<std::size_t>((rank + size - 1) % size)] = 1;
    const std::vector<MPI_Datatype> out_types(n, out.type()), in_types(n, in.type());
    MPI_Request request;
    MPI_Ialltoallw(out.data(), sent.data(), nothing.data(), out_types.data(), in.data(), received.data(),
                   nothing.data(), in_types.data(), comm, &request);
    const int code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(test::error_class(code) == MPI_ERR_TRUNCATE, "%d ints: class %d", length, test::error_class(code));
    for (int j = 0; j < 3 * length; ++j) CHECK(j % 3 == 0 || in.data()[j] == -1, "%d ints: int %d", length, j);
  }
  MPI_Comm_free(&comm);
}

// The first process calls when the others have gone on to MPI_Finalize, in a callback of its own; they complete theirs
// there.
std::unique_ptr<Exchange> last;
bool is_completed = false;
int complete_last(MPI_Comm, int, void*, void*) {
  if (last == nullptr) last = std::make_unique<Exchange>(Procedure::kAlltoallw, kWorld, kLength, Kind{}, Kind{3}, 1);
  wait(last->request, 0);
  last->expect();
  last.reset();
  is_completed = true;
  return MPI_SUCCESS;
}
#if HAS_SESSIONS
MPI_Session session = MPI_SESSION_NULL;
#endif
void finalizing() {
  call_in_finalize(complete_last);
  if (Members(kWorld).rank != 0) {
    last = std::make_unique<Exchange>(Procedure::kAlltoallw, kWorld, kLength, Kind{}, Kind{3}, 1);
  }
  MPI_Barrier(kWorld);
}
// MPICH calls the callbacks in MPI_Session_finalize then.
void finalizing_in_session() {
#if HAS_SESSIONS
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
#endif
  finalizing();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string_view what = argc > 1 ? argv[1] : "";
  constexpr std::pair<std::string_view, void (*)()> kAllOfThem[] = {
      {"each", each},         {"kinds", kinds},           {"scarce", scarce},
      {"switched", switched}, {"particles", particles},   {"line", line},
      {"too_long", too_long}, {"finalizing", finalizing}, {"finalizing_in_session", finalizing_in_session}};
  const auto found =
      std::find_if(std::begin(kAllOfThem), std::end(kAllOfThem), [what](const auto& one) { return one.first == what; });
  if (found == std::end(kAllOfThem)) {
    std::fprintf(stderr,
                 "usage: coll_messages each | kinds | scarce | switched | particles | line | too_long | finalizing | "
                 "finalizing_in_session\n");
    return 2;
  }
  MPI_Barrier(kWorld);  // who is not yet up is sent nothing
  found->second();
  const bool is_first = Members(kWorld).rank == 0;
  MPI_Finalize();
#if HAS_SESSIONS
  if (session != MPI_SESSION_NULL) MPI_Session_finalize(&session);
#endif
  CHECK(is_completed || !what.starts_with("finalizing"), "the callback was not called");
  if (is_first) std::puts("passed");
  return 0;
}

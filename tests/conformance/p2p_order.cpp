// Many typed messages at once between processes of a node, some of which go through the memory that these share: in
// their order, completed in every way among other requests, by receives that are started again, and to oneself.
// usage: p2p_order
#include <memory>

#include "counted.hpp"
#include "p2p_complete.hpp"
#include "paired.hpp"
#include "twin.hpp"

using namespace conformance;

namespace {

#if HAS_COUNTED

std::vector<Comm> comms;
MPI_Comm control;
Tally tally;

// Everything at once, between all ranks: receives before and after the messages come, in one order for each tag, with
// and without wildcards; small ones, null and inactive requests among them.
void mixtures(int how, bool ignored) {
  const Members world(MPI_COMM_WORLD);
  constexpr int kMessages = 14, kTags = 3;
  const int sizes[] = {16, 40'000, 3840, 200'000, 17'000, 100'000, 0};
  // The k-th message from a rank to another one.
  const auto units_of = [&](int from, int to, int k) { return sizes[(k + from + 2 * to + how) % 7] / 4; };
  const auto seed_of = [&](int from, int to, int k) {
    return 1000u * static_cast<unsigned>(10 * from + to) + static_cast<unsigned>(k);
  };
  const Comm& comm = comms[static_cast<std::size_t>(how % 4)];
  std::vector<std::unique_ptr<Buffer>> out, in;
  std::vector<MPI_Request> list;
  struct Place {
    int from, k;
  };
  std::vector<Place> places;
  const auto receive = [&](int from, int k) {
    const int units = units_of(from, world.rank, k);
    const Layout layout = k % 3 == 0 ? Layout::kContiguous : k % 3 == 1 ? Layout::kReversed : Layout::kMany;
    in.push_back(std::make_unique<Buffer>(Basic::kInts, layout, units + 1000 + k));
    MPI_Request request;
    const int source = comm.rank_of[static_cast<std::size_t>(from)];
    const bool persistent = k % 5 == 4 && for_persistent(how) == how;
    const auto start = persistent ? COUNTED(MPI_Recv_init) : COUNTED(MPI_Irecv);
    start(in.back()->address(), in.back()->count(), in.back()->type(), source, k % kTags, comm.comm, &request);
    if (persistent) MPI_Start(&request);
    list.push_back(request);
    places.push_back({from, k});
    tally.receives(is_pairable(Basic::kInts, Layout::kColumn, units));
  };
  const auto other = [&](MPI_Request request) { list.push_back(request), places.push_back({-1, -1}); };
  for (int from = 0; from < world.size; ++from) {
    for (int k = 0; k < kMessages / 2 && from != world.rank; ++k) receive(from, k);
  }
  other(MPI_REQUEST_NULL);
  MPI_Request inactive;
  int nothing = 0;
  MPI_Recv_init(&nothing, 1, MPI_INT, MPI_ANY_SOURCE, 77, comm.comm, &inactive);
  other(inactive);
  MPI_Barrier(control);
  for (int k = 0; k < kMessages; ++k) {
    for (int to = 0; to < world.size; ++to) {
      if (to == world.rank) continue;
      const int units = units_of(world.rank, to, k);
      MPI_Request request;
      out.push_back(std::make_unique<Buffer>(Basic::kInts, Layout::kColumn, std::max(units, 1)));
      out.back()->write(seed_of(world.rank, to, k));
      COUNTED(MPI_Isend)(out.back()->address(), units == 0 ? 0 : 1, out.back()->type(),
                         comm.rank_of[static_cast<std::size_t>(to)], k % kTags, comm.comm, &request);
      tally.sends(is_pairable(Basic::kInts, Layout::kColumn, units));
      other(request);
    }
  }
  if (how % 2 == 0) MPI_Barrier(control);
  for (int from = world.size - 1; from >= 0; --from) {
    for (int k = kMessages / 2; k < kMessages && from != world.rank; ++k) receive(from, k);
  }
  std::vector<int> times(list.size(), 0);
  const auto look = [&](int k, const MPI_Status* status) {
    const auto [from, which] = places[static_cast<std::size_t>(k)];
    if (from < 0) return;
    Buffer* buffer = nullptr;
    std::size_t at = 0;
    for (int j = 0; j < k; ++j) at += places[static_cast<std::size_t>(j)].from >= 0 ? 1 : 0;
    buffer = in[at].get();
    const std::string what = std::string("a mixture by ") + name_of_completion(how) + ", message " +
                             std::to_string(which) + " from " + std::to_string(from);
    const int units = units_of(from, world.rank, which);
    buffer->expect(seed_of(from, world.rank, which), units, what);
    if (status == nullptr) return;
    expect_envelope(*status, comm.rank_of[static_cast<std::size_t>(from)], which % kTags, what);
    buffer->expect_count(*status, units, what);
  };
  const auto done = [&](int k, const MPI_Status* status) {
    ++times[static_cast<std::size_t>(k)];
    look(k, status);
  };
  complete_all(how, list, ignored, done, look);
  for (std::size_t k = 0; k < list.size(); ++k) {
    CHECK(places[k].from < 0 || times[k] == 1, "operation %zu completed %d times", k, times[k]);
    if (list[k] != MPI_REQUEST_NULL) MPI_Request_free(&list[k]);
  }
  MPI_Barrier(control);
  tally.expect_all("a mixture");
}

// Messages of one tag, and of several, are received in their order, whichever way each goes; also by wildcards.
void in_order(int round) {
  const Members world(MPI_COMM_WORLD);
  const Comm& comm = comms[static_cast<std::size_t>(round % 4)];
  constexpr int kMessages = 40;
  const int sizes[] = {100'000, 8, 3840, 20'000, 3840 * 4, 60'000, 400};
  const int to = (world.rank + 1) % world.size, from = (world.rank + world.size - 1) % world.size;
  const auto layout_of = [&](int k) { return k % 4 == 1 ? Layout::kContiguous : Layout::kBlocks; };
  const auto units_of = [&](int k) { return sizes[(k + round) % 7] / 4; };
  std::vector<std::unique_ptr<Buffer>> out;
  std::vector<MPI_Request> sends(kMessages);
  for (int k = 0; k < kMessages; ++k) {
    out.push_back(std::make_unique<Buffer>(Basic::kInts, layout_of(k), units_of(k)));
    out.back()->write(static_cast<unsigned>(kMessages * world.rank + k));
    COUNTED(MPI_Isend)(out.back()->address(), out.back()->count(), out.back()->type(),
                       comm.rank_of[static_cast<std::size_t>(to)], round % 2 == 0 ? 5 : k % 4, comm.comm,
                       &sends[static_cast<std::size_t>(k)]);
    tally.sends(out.back()->is_pairable());
  }
  if (round % 3 != 0) MPI_Barrier(control);
  const int source = comm.rank_of[static_cast<std::size_t>(from)];
  const auto receive = [&](int k, int tag) {
    Buffer in(Basic::kInts, k % 2 == 0 ? Layout::kColumn : Layout::kContiguous, 30'000);
    MPI_Status status = unset_status();
    COUNTED(MPI_Recv)(in.address(), in.count(), in.type(), round % 5 == 0 ? MPI_ANY_SOURCE : source, tag, comm.comm,
                      &status);
    const std::string what = "in order, round " + std::to_string(round) + ", message " + std::to_string(k);
    expect_envelope(status, source, round % 2 == 0 ? 5 : k % 4, what);
    in.expect_count(status, units_of(k), what);
    in.expect(static_cast<unsigned>(kMessages * from + k), units_of(k), what);
    tally.receives(is_pairable(Basic::kInts, layout_of(k), units_of(k)));
  };
  if (round % 2 == 0 || round % 4 == 1) {
    for (int k = 0; k < kMessages; ++k) receive(k, MPI_ANY_TAG);
  } else {
    // The last tag first.
    for (int tag = 3; tag >= 0; --tag) {
      for (int k = tag; k < kMessages; k += 4) receive(k, tag);
    }
  }
  MPI_Waitall(kMessages, sends.data(), MPI_STATUSES_IGNORE);
  MPI_Barrier(control);
  tally.expect_all("in order");
}

// One persistent receive that brings all kinds of messages, one after the other.
void restarted(int how) {
  const Members world(MPI_COMM_WORLD);
  const int to = (world.rank + 1) % world.size, from = (world.rank + world.size - 1) % world.size;
  const int sizes[] = {80'000, 12, 3840, 17'000, 90'000, 3840, 0, 64'000};
  for (const Layout layout : {Layout::kColumn, Layout::kContiguous}) {
    Buffer in(Basic::kInts, layout, 25'000);
    MPI_Request request;
    COUNTED(MPI_Recv_init)(in.address(), in.count(), in.type(), from, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    for (int k = 0; k < 8; ++k) {
      Buffer out(Basic::kInts, k == 5 ? Layout::kContiguous : Layout::kReversed, std::max(1, sizes[k] / 4));
      out.write(static_cast<unsigned>(100 * world.rank + k));
      in.clear();
      k % 2 == 0 ? MPI_Start(&request) : MPI_Startall(1, &request);
      MPI_Request send;
      COUNTED(MPI_Isend)(out.address(), sizes[k] == 0 ? 0 : out.count(), out.type(), to, k, MPI_COMM_WORLD, &send);
      tally.sends(sizes[k] != 0 && out.is_pairable());
      tally.receives(sizes[k] != 0 && out.is_pairable());
      const auto seen = [&](int, const MPI_Status* status) {
        const std::string what = "restarted, message " + std::to_string(k);
        in.expect(static_cast<unsigned>(100 * from + k), sizes[k] / 4, what);
        if (status == nullptr) return;
        expect_envelope(*status, from, k, what);
        in.expect_count(*status, sizes[k] / 4, what);
      };
      int times = 0;
      const auto done = [&](int, const MPI_Status* status) {
        if (times++ == 0) seen(0, status);
      };
      complete_one(how, request, k % 3 == 1, done, seen);
      MPI_Wait(&send, MPI_STATUS_IGNORE);
      CHECK(request != MPI_REQUEST_NULL, "a persistent request is gone");
    }
    MPI_Request_free(&request);
  }
  MPI_Barrier(control);
  tally.expect_all("restarted");
}

// What a process sends to itself is the library's.
void to_oneself() {
  const Members world(MPI_COMM_WORLD);
  for (const Comm& comm : comms) {
    const int self = comm.rank_of[static_cast<std::size_t>(world.rank)];
    for (const int units : {960, 5000, 75'000}) {
      Buffer out(Basic::kInts, Layout::kColumn, units), in(Basic::kInts, Layout::kReversed, units + 9);
      out.write(1);
      MPI_Request request;
      MPI_Status status = unset_status();
      COUNTED(MPI_Irecv)(in.address(), in.count(), in.type(), MPI_ANY_SOURCE, 8, comm.comm, &request);
      COUNTED(MPI_Send)(out.address(), out.count(), out.type(), self, 8, comm.comm);
      MPI_Wait(&request, &status);
      expect_envelope(status, self, 8, "to oneself");
      in.expect_count(status, units, "to oneself");
      in.expect(1, units, "to oneself");
      in.clear();
      COUNTED(MPI_Sendrecv)
      (out.address(), out.count(), out.type(), self, 8, in.address(), in.count(), in.type(), self, 8, comm.comm,
       &status);
      in.expect(1, units, "to oneself, MPI_Sendrecv");
      COUNTED(MPI_Sendrecv_replace)(out.address(), out.count(), out.type(), self, 8, self, 8, comm.comm, &status);
      out.expect(1, units, "to oneself, MPI_Sendrecv_replace");
    }
  }
  tally.expect_all("to oneself");
}

#endif

}  // namespace

int main(int argc, char** argv) {
#if !HAS_COUNTED
  (void)argc, (void)argv;
  std::puts("skipped: this library has no large counts");
  return kSkipped;
#else
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &control);
  comms = some_comms();
  tally.restart();
  auto memory = std::make_unique<Memory>();
  for (int how = 0; how < kCompletions; ++how) {
    for (const bool ignored : {false, true}) mixtures(possible_completion(how), ignored);
  }
  for (int round = 0; round < 20; ++round) in_order(round);
  for (int how = 0; how < kCompletions; ++how) restarted(for_persistent(possible_completion(how)));
  to_oneself();
  memory.reset();
  free_comms(comms);
  if (Members(control).rank == 0) std::printf("the data are right, %lld paired\n", counted("paired_sent"));
  MPI_Comm_free(&control);
  MPI_Finalize();
  return 0;
#endif
}

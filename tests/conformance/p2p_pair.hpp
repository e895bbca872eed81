// Two processes, of which one sends and the other receives, and what is common to the programs about them.
#pragma once

#include <memory>
#include <string_view>

#include "p2p_complete.hpp"
#include "paired.hpp"
#include "twin.hpp"

namespace conformance {

constexpr int kSender = 0, kReceiver = 1;
inline MPI_Comm pair;  // of two
inline int rank;       // in it
inline bool is_open_mpi;
inline Tally tally;

inline void meet() {
  MPI_Barrier(pair);
}

// Libraries raise some errors elsewhere than on the communicator of the call.
inline void set_handlers(MPI_Errhandler to) {
  for (const MPI_Comm comm : {pair, MPI_COMM_WORLD, MPI_COMM_SELF}) MPI_Comm_set_errhandler(comm, to);
}

inline std::unique_ptr<Buffer> ints(Layout layout, int bytes) {
  return std::make_unique<Buffer>(Basic::kInts, layout, bytes / 4);
}

inline void send(int bytes, std::uint64_t seed, int tag, Layout layout = Layout::kColumn) {
  const auto out = ints(layout, bytes);
  out->write(seed);
  CHECK(MPI_Send(out->address(), out->count(), out->type(), kReceiver, tag, pair) == MPI_SUCCESS, "send");
  tally.sends(out->is_pairable());
}

inline void receive(int bytes, std::uint64_t seed, int tag, const std::string& what,
                    Layout layout = Layout::kReversed) {
  const auto in = ints(layout, bytes + 4000);
  MPI_Status status = unset_status();
  CHECK(MPI_Recv(in->address(), in->count(), in->type(), kSender, tag, pair, &status) == MPI_SUCCESS, "%s: code",
        what.c_str());
  expect_envelope(status, kSender, tag, what);
  in->expect_count(status, bytes / 4, what);
  in->expect(seed, bytes / 4, what);
  tally.receives(is_pairable(Basic::kInts, Layout::kColumn, bytes / 4));
}

// `count` messages, all of which are paired.
inline void expect_pairing(int count, const std::string& what) {
  meet();
  tally.restart();
  for (int k = 0; k < count; ++k) rank == kSender ? send(300'000, 7, 4) : receive(300'000, 7, 4, what);
  tally.expect_all(what);
}

using Scenario = std::pair<std::string_view, void (*)()>;
// Runs the scenario of this name, or all, on each two processes, of which the higher one sends.
template <std::size_t n>
int run_scenarios(int argc, char** argv, const Scenario (&scenarios)[n]) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  is_open_mpi = library_is("Open MPI");
  const Members world(MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, world.rank / 2, -world.rank, &pair);
  const Members both(pair);
  rank = both.rank;
  auto memory = std::make_unique<Memory>();
  for (const auto& [name, run] : scenarios) {
    tally.restart();
    if (both.size == 2 && (what.empty() || what == name)) run();
  }
  memory.reset();
  if (world.rank == 0) std::puts("the data are right");
  MPI_Comm_free(&pair);
  MPI_Finalize();
  return 0;
}

}  // namespace conformance

// Many messages through shared memory: its use stays below its cap, and what a process keeps does not grow.
// usage: p2p_volume unreceived [MESSAGES] | soak [MESSAGES] | ring [BYTES [ROUNDS]]
#include <fstream>

#include "p2p_pair.hpp"

using namespace conformance;

namespace {

constexpr int kBuffers = 5;

// [bytes] Of this process now: "VmRSS", "RssShmem", "RssAnon".
long long resident(const std::string& field) {
  std::ifstream lines("/proc/self/status");
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(field + ":")) return std::atoll(line.c_str() + field.size() + 1) << 10;
  }
  return -1;
}

// [bytes] That GAPLESS_PAIRED_BYTES allows all processes together: a number of megabytes.
long long shared_limit() {
  const char* const word = std::getenv("GAPLESS_PAIRED_BYTES");
  return word == nullptr ? 1ll << 30 : std::atoll(word) << 20;
}

std::vector<std::unique_ptr<Buffer>> buffers(int bytes) {
  std::vector<std::unique_ptr<Buffer>> made;
  for (int k = 0; k < kBuffers; ++k) {
    made.push_back(ints(k % 2 == 0 ? Layout::kColumn : Layout::kMany, bytes));
    made.back()->write(static_cast<unsigned>(k));
  }
  return made;
}

// Nobody receives until all have been sent: what has no room in shared memory goes by the library.
void unreceived(int messages) {
  constexpr int kBytes = 20'000;
  if (rank == kSender) {
    const auto out = buffers(kBytes);
    std::vector<MPI_Request> list(static_cast<std::size_t>(messages));
    for (int k = 0; k < messages; ++k) {
      Buffer& from = *out[static_cast<std::size_t>(k % kBuffers)];
      MPI_Isend(from.address(), from.count(), from.type(), kReceiver, k % 3, pair, &list[static_cast<std::size_t>(k)]);
    }
    const long long held = resident("RssShmem"), paired = counted("paired_sent");
    CHECK(shared_bytes() <= shared_limit() + (4 << 20), "%lld bytes of shared memory", shared_bytes());
    CHECK(paired != 0 && paired < messages, "%lld of %d messages were paired before one came", paired, messages);
    meet();
    MPI_Waitall(messages, list.data(), MPI_STATUSES_IGNORE);
    std::printf("%d messages of %d bytes that nobody received: %lld paired, %lld bytes of shared memory resident\n",
                messages, kBytes, paired, held);
  } else {
    meet();
    const auto in = ints(Layout::kReversed, kBytes);
    for (int k = 0; k < messages; ++k) {
      MPI_Status status = unset_status();
      MPI_Recv(in->address(), in->count(), in->type(), kSender, k % 3, pair, &status);
      expect_envelope(status, kSender, k % 3, "late");
      in->expect(static_cast<unsigned>(k % kBuffers), kBytes / 4, "late, message " + std::to_string(k));
      in->clear();
    }
  }
  expect_pairing(10, "after many");  // all memory is free again
}

// A stream of messages in both directions, by all that sends and receives.
void exchange(std::vector<std::unique_ptr<Buffer>>& out, Buffer& in, MPI_Request (&lasting)[2], int k) {
  Buffer& from = *out[static_cast<std::size_t>(k % kBuffers)];
  MPI_Request requests[2];
  const int peer = 1 - rank;
  switch (k % 4) {
    case 0:
      MPI_Sendrecv(from.address(), from.count(), from.type(), peer, 1, in.address(), in.count(), in.type(), peer, 1,
                   pair, MPI_STATUS_IGNORE);
      break;
    case 1:
      MPI_Irecv(in.address(), in.count(), in.type(), peer, 2, pair, &requests[0]);
      MPI_Isend(from.address(), from.count(), from.type(), peer, 2, pair, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      break;
    case 2:
      MPI_Startall(2, lasting);
      MPI_Waitall(2, lasting, MPI_STATUSES_IGNORE);
      break;
    default:
      if (rank == kSender) MPI_Send(from.address(), from.count(), from.type(), peer, 3, pair);
      MPI_Recv(in.address(), in.count(), in.type(), peer, 3, pair, MPI_STATUS_IGNORE);
      if (rank != kSender) MPI_Send(from.address(), from.count(), from.type(), peer, 3, pair);
  }
}

void soak(int messages) {
  constexpr int kBytes = 20'000;
  auto out = buffers(kBytes);
  const auto in = ints(Layout::kReversed, kBytes);
  MPI_Request lasting[2];
  Buffer& first = *out.front();
  MPI_Recv_init(in->address(), in->count(), in->type(), 1 - rank, 4, pair, &lasting[0]);
  MPI_Send_init(first.address(), first.count(), first.type(), 1 - rank, 4, pair, &lasting[1]);
  long long settled = 0, shared = 0;
  for (int k = 0; k < messages / 2; ++k) {
    if (k == messages / 8) settled = resident("VmRSS"), shared = shared_bytes();
    exchange(out, *in, lasting, k);
    const bool is_looked_at = k % 64 < 4;
    const unsigned seed = k % 4 == 2 ? 0 : static_cast<unsigned>(k % kBuffers);
    if (is_looked_at) in->expect(seed, kBytes / 4, "soak, message " + std::to_string(k));
    if (is_looked_at) in->clear();
  }
  for (MPI_Request& request : lasting) MPI_Request_free(&request);
  const long long more = resident("VmRSS") - settled, more_shared = shared_bytes() - shared;
  std::printf(
      "rank %d: %d messages, %lld paired; resident %lld bytes, %lld more than after a quarter; shared %lld, "
      "%lld more\n",
      rank, messages, counted("paired_sent") + counted("paired_received"), resident("VmRSS"), more, shared_bytes(),
      more_shared);
  CHECK(more < 1 << 20, "%lld bytes more", more);
  CHECK(more_shared == 0, "%lld bytes of shared memory more", more_shared);
}

// Typed messages go round among all processes: how much memory that takes.
void ring(int bytes, int rounds) {
  const Members world(MPI_COMM_WORLD);
  const int to = (world.rank + 1) % world.size, from = (world.rank + world.size - 1) % world.size;
  const auto out = ints(Layout::kColumn, bytes), in = ints(Layout::kReversed, bytes);
  out->write(static_cast<unsigned>(world.rank));
  for (int round = 0; round < rounds; ++round) {
    MPI_Request requests[2];
    MPI_Irecv(in->address(), in->count(), in->type(), from, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out->address(), out->count(), out->type(), to, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    in->expect(static_cast<unsigned>(from), bytes / 4, "ring");
    in->clear();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? std::atoi(argv[2]) : 0;
  MPI_Init(&argc, &argv);
  const Members world(MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, world.rank / 2, -world.rank, &pair);
  rank = Members(pair).rank;
  tally.restart();
  if (what == "unreceived") unreceived(number > 0 ? number : 100'000);
  if (what == "soak") soak(number > 0 ? number : 200'000);
  if (what == "ring") ring(number > 0 ? number : 65'536, argc > 3 ? std::atoi(argv[3]) : 100);
  if (world.rank == 0) std::puts("the data are right");
  MPI_Comm_free(&pair);
  MPI_Finalize();
  return 0;
}

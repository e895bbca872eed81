// Messages through shared memory that wait for their receiver, which does something else, of which a side switches the
// layer off, or whose receiver cannot read its type.
// usage: p2p_busy [WHAT]
#include <chrono>
#include <thread>

#include "p2p_pair.hpp"
#include "tower.hpp"

using namespace conformance;

namespace {

// [bytes] What GAPLESS_PAIRED_BYTES allows.
long long shared_limit() {
  const char* const word = std::getenv("GAPLESS_PAIRED_BYTES");
  return word == nullptr ? 1ll << 30 : std::atoll(word) << (std::strchr(word, 'M') != nullptr ? 20 : 0);
}

// 3000 messages that are received only when all have been sent: those for which there is no shared memory go another
// way, and their order is kept.
void never_received() {
  constexpr int kMessages = 3000, kBytes = 64'000, kBuffers = 7;
  for (const bool buffered : {false, true}) {
    meet();
    if (rank == kSender) {
      std::vector<std::unique_ptr<Buffer>> out;
      for (int k = 0; k < kBuffers; ++k) {
        out.push_back(ints(k % 2 == 0 ? Layout::kColumn : Layout::kMany, kBytes));
        out.back()->write(static_cast<unsigned>(k));
      }
      std::vector<char> space;
      if (buffered) space.resize(static_cast<std::size_t>(kMessages) * (kBytes + 2 * MPI_BSEND_OVERHEAD));
      if (buffered) MPI_Buffer_attach(space.data(), static_cast<int>(space.size()));
      std::vector<MPI_Request> list(buffered ? 0 : kMessages);
      for (int k = 0; k < kMessages; ++k) {
        Buffer& from = *out[static_cast<std::size_t>(k % kBuffers)];
        if (buffered) {
          MPI_Bsend(from.address(), from.count(), from.type(), kReceiver, k % 2, pair);
        } else {
          MPI_Isend(from.address(), from.count(), from.type(), kReceiver, k % 2, pair,
                    &list[static_cast<std::size_t>(k)]);
        }
        tally.sends(!buffered && from.is_pairable());
      }
      CHECK(shared_bytes() <= shared_limit() + (64 << 20), "%lld bytes of shared memory", shared_bytes());
      meet();
      MPI_Waitall(static_cast<int>(list.size()), list.data(), MPI_STATUSES_IGNORE);
      void* back;
      int bytes;
      if (buffered) MPI_Buffer_detach(&back, &bytes);
      CHECK(counted("paired_sent") <= 0 || tally.sent() > 0, "none was paired");
      continue;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    meet();
    for (int k = 0; k < kMessages; ++k) {
      const auto in = ints(k % 3 == 0 ? Layout::kContiguous : Layout::kColumn, kBytes);
      MPI_Status status = unset_status();
      MPI_Recv(in->address(), in->count(), in->type(), kSender, k % 5 == 0 ? MPI_ANY_TAG : k % 2, pair, &status);
      expect_envelope(status, kSender, k % 2, "late");
      in->expect_count(status, kBytes / 4, "late");
      in->expect(static_cast<unsigned>(k % kBuffers), kBytes / 4, "late, message " + std::to_string(k));
    }
  }
  expect_pairing(10, "after many");  // all memory is free again
}

// The receiver is in a collective call, or computes, while messages are under way; or polls while they are packed.
void busy_receiver() {
  for (int round = 0; round < 24; ++round) {
    const int bytes = round % 3 == 0 ? 3'000'000 : 64'000;
    const std::uint64_t seed = static_cast<unsigned>(round);
    const Layout layout = round % 2 == 0 ? Layout::kColumn : Layout::kContiguous;
    const auto out = ints(Layout::kMany, bytes), in = ints(layout, bytes);
    out->write(seed + static_cast<unsigned>(100 * rank));
    const int peer = 1 - rank;
    MPI_Request requests[2];
    const auto start_send = [&] {
      MPI_Isend(out->address(), out->count(), out->type(), peer, 1, pair, &requests[0]);
      tally.sends(out->is_pairable());
    };
    const auto start_receive = [&] {
      MPI_Irecv(in->address(), in->count(), in->type(), peer, 1, pair, &requests[1]);
      tally.receives(out->is_pairable());
    };
    switch (round % 6) {
      case 0:  // sent, met, received
        start_send();
        meet();
        start_receive();
        break;
      case 1: {
        MPI_Comm half;
        start_send();
        MPI_Comm_split(pair, rank, 0, &half);
        start_receive();
        MPI_Comm_free(&half);
        break;
      }
      case 2:
        start_receive();
        meet();
        start_send();
        if (rank == kReceiver) std::this_thread::sleep_for(std::chrono::milliseconds(60));
        meet();
        break;
      case 3:  // both send before either completes its receive, which is there
        start_receive();
        meet();
        MPI_Send(out->address(), out->count(), out->type(), peer, 1, pair);
        requests[0] = MPI_REQUEST_NULL;
        tally.sends(out->is_pairable());
        break;
      default: {
        start_receive();
        if (round % 6 == 5) meet();
        start_send();
        int flag = 0;
        while (flag == 0) MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE);
        in->expect(seed + static_cast<unsigned>(100 * peer), bytes / 4, "polled, round " + std::to_string(round));
      }
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    in->expect(seed + static_cast<unsigned>(100 * peer), bytes / 4, "a busy receiver, round " + std::to_string(round));
  }
  tally.expect_all("a busy receiver");
}

// One side, or both, switches the layer off and on: before a receive is posted, before its message comes, or behind.
void switched() {
  const test::Layer layer;
  if (!layer.present()) return;
  for (int round = 0; round < 128; ++round) {
    const auto bit = [&](int which) { return (round >> which & 1) != 0; };
    const int bytes = round % 3 == 0 ? 3840 : 50'000;
    const std::uint64_t seed = static_cast<unsigned>(round);
    if (rank == kSender) {
      layer.set(!bit(3));
      if (bit(4)) meet();  // the receives are posted first
      std::vector<std::unique_ptr<Buffer>> out;
      MPI_Request requests[4];
      for (int k = 0; k < 4; ++k) {
        out.push_back(ints(Layout::kColumn, bytes + 4000 * k));
        out.back()->write(seed + static_cast<unsigned>(k));
        MPI_Isend(out.back()->address(), out.back()->count(), out.back()->type(), kReceiver, k % 2, pair, &requests[k]);
      }
      if (!bit(4)) meet();
      MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
      meet();
    } else {
      std::vector<std::unique_ptr<Buffer>> in;
      MPI_Request requests[4];
      if (!bit(4)) meet();
      layer.set(bit(0));
      for (int k = 0; k < 4; ++k) {
        in.push_back(ints(k == 2 || bit(5) ? Layout::kContiguous : Layout::kReversed, bytes + 20'000));
        Buffer& to = *in.back();
        if (k == 3) {
          MPI_Recv_init(to.address(), to.count(), to.type(), kSender, k % 2, pair, &requests[k]);
          MPI_Start(&requests[k]);
        } else {
          MPI_Irecv(to.address(), to.count(), to.type(), MPI_ANY_SOURCE, k % 2, pair, &requests[k]);
        }
        if (k == 1) layer.set(bit(1));
      }
      if (bit(4)) meet();
      layer.set(bit(2));
      for (int k = 3; k >= 0; --k) {
        MPI_Status status = unset_status();
        const std::string what = "switched, round " + std::to_string(round) + ", message " + std::to_string(k);
        if (bit(6)) {
          for (int flag = 0; flag == 0;) MPI_Test(&requests[k], &flag, &status);
        } else {
          MPI_Wait(&requests[k], &status);
        }
        expect_envelope(status, kSender, k % 2, what);
        in[static_cast<std::size_t>(k)]->expect_count(status, bytes / 4 + 1000 * k, what);
        in[static_cast<std::size_t>(k)]->expect(seed + static_cast<unsigned>(k), bytes / 4 + 1000 * k, what);
        if (k == 3) MPI_Request_free(&requests[k]);
        if (k == 2) layer.set(bit(0));
      }
      meet();
    }
    layer.set(true);
    if (round % 8 != 7) continue;
    // On again: the first receive says so.
    rank == kSender ? send(100, 1, 5) : receive(100, 1, 5, "switched on");
  }
}

void switched_off_pairing() {
  using Switch = int (*)(int);
  const auto set = reinterpret_cast<Switch>(dlsym(RTLD_DEFAULT, "GAPLESS_Switch_paired"));
  if (set == nullptr) return;
  for (int round = 0; round < 6; ++round) {
    meet();
    set(round % 2);
    meet();
    tally.restart();
    for (int k = 0; k < 6; ++k) rank == kSender ? send(90'000, 7, 4) : receive(90'000, 7, 4, "pairing switched");
    round % 2 == 0 ? tally.expect_none("pairing switched off") : tally.expect_all("pairing switched on");
  }
  set(1);
}

// The receiver cannot read its type, and learns so when the messages are under way: by a receive of each kind.
void undecoded() {
  constexpr int kMessages = 10, kBytes = 90'000;
  if (library_is("Intel")) return expect_pairing(5, "instead of deep types, on which this library crashes");
  if (rank == kSender) {
    const auto out = ints(Layout::kColumn, kBytes);
    out->write(4);
    MPI_Request requests[kMessages];
    for (MPI_Request& request : requests) {
      MPI_Isend(out->address(), out->count(), out->type(), kReceiver, 5, pair, &request);
      tally.sends(out->is_pairable());
    }
    meet();
    MPI_Waitall(kMessages, requests, MPI_STATUSES_IGNORE);
    return tally.expect_all("to a process that cannot read its type");
  }
  meet();
  for (int k = 0; k < kMessages; ++k) {
    // The last ones are longer than their messages.
    const auto in = ints(Layout::kColumn, k < 5 ? kBytes : kBytes + 4000);
    MPI_Datatype top = tower_on(in->type());
    MPI_Status status = unset_status();
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Message message;
    int flag = 0;
    switch (k % 9) {
      case 0:
        MPI_Recv(in->address(), in->count(), top, kSender, 5, pair, &status);
        break;
      case 1:
        MPI_Irecv(in->address(), in->count(), top, MPI_ANY_SOURCE, 5, pair, &request);
        MPI_Type_free(&top);
        break;
      case 2:
        MPI_Irecv(in->address(), in->count(), top, kSender, MPI_ANY_TAG, pair, &request);
        while (flag == 0) MPI_Test(&request, &flag, &status);
        break;
      case 3:
        MPI_Sendrecv(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, in->address(), in->count(), top, kSender, 5, pair, &status);
        break;
      case 4:
        MPI_Sendrecv_replace(in->address(), in->count(), top, MPI_PROC_NULL, 0, kSender, 5, pair, &status);
        break;
      case 5:
        MPI_Recv_init(in->address(), in->count(), top, kSender, 5, pair, &request);
        MPI_Start(&request);
        MPI_Wait(&request, &status);
        MPI_Request_free(&request);
        break;
      case 6:
        MPI_Irecv(in->address(), in->count(), top, kSender, 5, pair, &request);
        while (flag == 0) MPI_Request_get_status(request, &flag, &status);
        in->expect(4, kBytes / 4, "told by MPI_Request_get_status");
        break;
      case 7:
        MPI_Probe(kSender, 5, pair, &status);
        MPI_Recv(in->address(), in->count(), top, kSender, 5, pair, &status);
        break;
      default:
        MPI_Mprobe(kSender, 5, pair, &message, &status);
        MPI_Mrecv(in->address(), in->count(), top, &message, &status);
    }
    if (request != MPI_REQUEST_NULL) MPI_Wait(&request, &status);
    if (top != MPI_DATATYPE_NULL) MPI_Type_free(&top);
    const std::string what = "a type that is not decoded, way " + std::to_string(k);
    expect_envelope(status, kSender, 5, what);
    in->expect_count(status, kBytes / 4, what);
    in->expect(4, kBytes / 4, what);
    tally.receives(is_pairable(Basic::kInts, Layout::kColumn, kBytes / 4));
  }
  tally.expect_all("of types that are not decoded");
}

const Scenario kScenarios[] = {
    {"never_received", never_received},
    {"busy_receiver", busy_receiver},
    {"switched", switched},
    {"switched_off_pairing", switched_off_pairing},
    {"undecoded", undecoded},  // the last one: the receiver takes no more then
};

}  // namespace

int main(int argc, char** argv) {
  return run_scenarios(argc, argv, kScenarios);
}

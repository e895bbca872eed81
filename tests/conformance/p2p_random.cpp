// Random programs: all ranks draw the same messages from a seed, and check data and status of each.
// usage: p2p_random FIRST COUNT [probes] [threads]: with these seeds. One that fails is run again by its
// number and COUNT 1.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <string_view>
#include <thread>

#include "counted.hpp"
#include "p2p_complete.hpp"
#include "p2p_message.hpp"
#include "paired.hpp"

using namespace conformance;

namespace {

MPI_Comm controls[2];
Tally tally;
bool threads = false;  // two on each rank, one for every second communicator

void hangs(int) {
  std::fprintf(stderr, "failed: seed %d, round %d hangs on rank %d\n", seed_now, round_now, rank);
  _exit(1);
}

struct Pending {
  const Message* message;
  bool receives;
};

// What a rank has under way in a round.
class Round {
 public:
  Round(const std::vector<Message>& messages, Random own) : messages_(messages), random_(own) {}

  void post(bool early) {
    for (const Message& m : messages_) {
      if (m.to == rank && m.early == early) receive(m);
    }
  }
  void send_all() {
    for (const Message& m : messages_) {
      if (m.from == rank) send(m);
    }
  }
  void complete();

 private:
  void send(const Message& m);
  void receive(const Message& m);
  void look_first(const Message& m, int source, int tag, Buffer& in);
  void finish_truncated(const Message& m, MPI_Request& request);
  void check(const Message& m, Buffer& in, const MPI_Status* status);
  void check_truncated(const Message& m, Buffer& in, int code);
  void add(const Message& m, MPI_Request request, bool receives) {
    requests_.push_back(request);
    pending_.push_back({&m, receives});
  }

  const std::vector<Message>& messages_;
  Random random_;
  std::vector<std::unique_ptr<Buffer>> out_;
  std::vector<std::unique_ptr<Buffer>> in_;  // of the requests, in order
  std::vector<MPI_Request> requests_;
  std::vector<Pending> pending_;
  bool has_persistent_ = false;
};

void Round::send(const Message& m) {
  out_.push_back(std::make_unique<Buffer>(m.basic, m.out, m.units));
  Buffer& out = *out_.back();
  out.write(m.seed);
  const int to = rank_of(m, m.to);
  tally.sends(m.is_pairable());
  const auto blocking = [&](auto* call) { call(out.address(), out.count(), out.type(), to, m.tag, comm_of(m)); };
  const auto nonblocking = [&](auto* call) {
    MPI_Request request;
    call(out.address(), out.count(), out.type(), to, m.tag, comm_of(m), &request);
    if (m.send == kSendInit) MPI_Start(&request);
    if (m.frees_type) out.free_type();
    if (m.frees_request && m.send != kSendInit) MPI_Request_free(&request);
    add(m, request, false);
  };
  switch (m.send) {
    case kIsend:
      return nonblocking(MPI_Isend);
    case kIbsend:
      return nonblocking(MPI_Ibsend);
    case kIssend:
      return nonblocking(MPI_Issend);
    case kIrsend:
      return nonblocking(MPI_Irsend);
    case kSendInit:
      return nonblocking(MPI_Send_init);
    case kBsend:
      return blocking(MPI_Bsend);
    case kRsend:
      return blocking(MPI_Rsend);
    case kSsend:
      return blocking(MPI_Ssend);
    default:
      return blocking(MPI_Send);
  }
}

// Asks for the message before it is received.
void Round::look_first(const Message& m, int source, int tag, Buffer& in) {
  MPI_Status status{};  // Intel MPI leaves in that of a probe whether something was cancelled
  const std::string what = where("probed");
  const bool waits = random_.below(2) == 0;
  MPI_Message matched = MPI_MESSAGE_NULL;
  if (m.receive == kProbed) {
    if (waits) MPI_Probe(source, tag, comm_of(m), &status);
    for (int flag = waits ? 1 : 0; flag == 0;) MPI_Iprobe(source, tag, comm_of(m), &flag, &status);
  } else {
    if (waits) MPI_Mprobe(source, tag, comm_of(m), &matched, &status);
    for (int flag = waits ? 1 : 0; flag == 0;) MPI_Improbe(source, tag, comm_of(m), &flag, &matched, &status);
  }
  expect_envelope(status, rank_of(m, m.from), m.tag, what);
  in.expect_count(status, m.units, what);
  MPI_Request request;
  MPI_Status received = unset_status();
  if (m.receive == kProbed) {
    MPI_Recv(in.address(), in.count(), in.type(), status.MPI_SOURCE, status.MPI_TAG, comm_of(m), &received);
  } else if (random_.below(2) == 0) {
    MPI_Mrecv(in.address(), in.count(), in.type(), &matched, &received);
  } else {
    MPI_Imrecv(in.address(), in.count(), in.type(), &matched, &request);
    MPI_Wait(&request, &received);
  }
  check(m, in, &received);
}

void Round::receive(const Message& m) {
  auto made = std::make_unique<Buffer>(m.basic, m.in, std::max(m.room, 1));
  Buffer& in = *made;
  const int source = m.any_source ? MPI_ANY_SOURCE : rank_of(m, m.from), tag = m.any_tag ? MPI_ANY_TAG : m.tag;
  tally.receives(m.is_pairable());
  MPI_Status status = unset_status();
  MPI_Request request;
  switch (m.receive) {
    case kProbed:
    case kMatched:
      return look_first(m, source, tag, in);
    case kRecv: {
      const bool ignored = random_.below(3) == 0;
      const int code =
          MPI_Recv(in.address(), in.count(), in.type(), source, tag, comm_of(m), ignored ? MPI_STATUS_IGNORE : &status);
      if (m.is_truncated()) return check_truncated(m, in, code);
      CHECK(code == MPI_SUCCESS, "%s", where("MPI_Recv").c_str());
      return check(m, in, ignored ? nullptr : &status);
    }
    case kSendrecv:
      MPI_Sendrecv(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 1, in.address(), in.count(), in.type(), source, tag, comm_of(m),
                   &status);
      return check(m, in, &status);
    case kIrecv:
      MPI_Irecv(in.address(), in.count(), in.type(), source, tag, comm_of(m), &request);
      break;
    default:
      MPI_Recv_init(in.address(), in.count(), in.type(), source, tag, comm_of(m), &request);
      MPI_Start(&request);
      has_persistent_ = true;
  }
  in_.push_back(std::move(made));
  add(m, request, true);
}

void Round::check(const Message& m, Buffer& in, const MPI_Status* status) {
  const std::string what =
      where("message of " + std::to_string(in.bytes()) + " bytes from " + std::to_string(m.from) + " to " +
            std::to_string(m.to) + ", send " + std::to_string(m.send) + ", receive " + std::to_string(m.receive));
  in.expect(m.seed, m.units, what);
  if (status == nullptr) return;
  expect_envelope(*status, rank_of(m, m.from), m.tag, what);
  in.expect_count(*status, m.units, what);
}

// Without any layer, MPICH and Intel MPI say nothing of some that are short.
void Round::check_truncated(const Message&, Buffer& in, int code) {
  const bool may_be_silent = !library_is("Open MPI");
  CHECK(test::error_class(code) == MPI_ERR_TRUNCATE || (may_be_silent && code == MPI_SUCCESS), "%s: class %d",
        where("truncated").c_str(), test::error_class(code));
  in.expect_gaps(where("truncated"));
}

void Round::finish_truncated(const Message& m, MPI_Request& request) {
  std::size_t at = 0;
  for (std::size_t k = 0; pending_[k].message != &m || !pending_[k].receives; ++k) at += pending_[k].receives ? 1 : 0;
  int code = MPI_SUCCESS;
  if (random_.below(2) == 0) {
    code = MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    for (int flag = 0; flag == 0 && code == MPI_SUCCESS;) code = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  }
  check_truncated(m, *in_[at], code);
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

void Round::complete() {
  std::vector<MPI_Request> list;
  std::vector<std::size_t> places, buffers;
  std::size_t received = 0;
  for (std::size_t k = 0; k < requests_.size(); ++k) {
    const Pending& one = pending_[k];
    const std::size_t buffer = received;
    if (one.receives) ++received;
    if (one.receives && one.message->is_truncated()) {
      finish_truncated(*one.message, requests_[k]);
      continue;
    }
    if (random_.below(4) == 0)
      list.push_back(MPI_REQUEST_NULL), places.push_back(k), buffers.push_back(~std::size_t{0});
    list.push_back(requests_[k]);
    places.push_back(k);
    buffers.push_back(buffer);
  }
  std::vector<int> times(list.size(), 0);
  const auto look = [&](int k, const MPI_Status* status) {
    const auto at = static_cast<std::size_t>(k);
    const Pending& one = pending_[places[at]];
    if (!one.receives || buffers[at] == ~std::size_t{0}) return;
    check(*one.message, *in_[buffers[at]], status);
  };
  const auto done = [&](int k, const MPI_Status* status) {
    ++times[static_cast<std::size_t>(k)];
    look(k, status);
  };
  int how = possible_completion(random_.below(kCompletions));
  if (has_persistent_ && !ASKING_LEAVES_PERSISTENT && how >= kTellingFrom) how -= kTellingFrom;
  complete_all(how, list, random_.below(3) == 0, done, look);
  for (std::size_t k = 0; k < list.size(); ++k) {
    const bool counts = pending_[places[k]].receives && buffers[k] != ~std::size_t{0};
    CHECK(!counts || times[k] == 1, "%s: completed %d times", where(name_of_completion(how)).c_str(), times[k]);
    if (list[k] != MPI_REQUEST_NULL) MPI_Request_free(&list[k]);
  }
}

// Everybody with the next one, while other messages are under way.
void exchange(Random& random, MPI_Comm control) {
  const int to = (rank + 1) % size, from = (rank + size - 1) % size, bytes = draw_bytes(random) / 12 * 12;
  const bool replaces = random.below(2) == 0;
  Buffer out(Basic::kInts, Layout::kMany, bytes / 4), in(Basic::kInts, Layout::kReversed, bytes / 4 + 7);
  const auto seed_of = [&](int sender) {
    return static_cast<std::uint64_t>(seed_now) * 1000 + static_cast<unsigned>(10 * round_now + sender);
  };
  out.write(seed_of(rank));
  MPI_Status status = unset_status();
  if (replaces) {
    MPI_Sendrecv_replace(out.address(), out.count(), out.type(), to, 7, from, 7, control, &status);
  } else {
    MPI_Sendrecv(out.address(), out.count(), out.type(), to, 7, in.address(), in.count(), in.type(), from, 7, control,
                 &status);
  }
  tally.sends(out.is_pairable());
  tally.receives(out.is_pairable());
  Buffer& came = replaces ? out : in;
  expect_envelope(status, from, 7, where("exchange"));
  came.expect_count(status, bytes / 4, where("exchange"));
  came.expect(seed_of(from), bytes / 4, where("exchange"));
}

void cancel_one(MPI_Comm control) {
  Buffer in(Basic::kInts, Layout::kColumn, 5000);
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(in.address(), in.count(), in.type(), MPI_ANY_SOURCE, 99, control, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  int cancelled = 0;
  MPI_Test_cancelled(&status, &cancelled);
  CHECK(cancelled == 1, "%s", where("a receive of nothing").c_str());
}

// A round of some messages. `all` is the same on all ranks, `mine` is not.
void play(const std::vector<Message>& messages, bool is_barred, bool switches, Random all, Random mine,
          MPI_Comm control) {
  Round round(messages, Random(mine.next()));
  const test::Layer layer;
  const auto maybe_switch = [&] {
    if (switches) layer.set(mine.below(3) != 0);
  };
  maybe_switch();
  round.post(true);
  maybe_switch();
  if (is_barred) MPI_Barrier(control);
  round.send_all();
  maybe_switch();
  if (all.below(2) == 0) exchange(all, control);
  if (mine.below(4) == 0) cancel_one(control);
  round.post(false);
  maybe_switch();
  round.complete();
  MPI_Barrier(control);
}

// Of the messages from one to another on a communicator, the first ones have their receives early.
std::vector<Message> draw_round(Random& all, bool is_barred) {
  std::vector<Message> messages;
  std::vector<char> is_late(static_cast<std::size_t>(4 * size * size), 0);
  for (int n = 1 + all.below(14 * size); n > 0; --n) {
    const bool wants_early = all.below(2) == 0;
    Random twice = all;
    const Message first = draw(twice, false, is_barred);
    char& late = is_late[static_cast<std::size_t>((first.comm * size + first.from) * size + first.to)];
    if (!wants_early) late = 1;
    messages.push_back(draw(all, late == 0, is_barred));
  }
  return messages;
}

void run_program(int seed) {
  seed_now = seed;
  Random all(static_cast<std::uint64_t>(seed));  // the same on all ranks
  const test::Layer layer;
  const bool switches = layer.present() && all.below(3) == 0;
  const int rounds = 4 + all.below(6);
  for (round_now = 0; round_now < rounds; ++round_now) {
    const bool is_barred = all.below(2) == 0;
    const std::vector<Message> messages = draw_round(all, is_barred);
    std::vector<Message> of[2];
    for (const Message& m : messages) of[threads ? m.comm % 2 : 0].push_back(m);
    const Random common[2] = {Random(all.next()), Random(all.next())};
    const auto play_one = [&](std::size_t k) {
      const std::uint64_t own = static_cast<std::uint64_t>(seed) * 1000 + static_cast<unsigned>(10 * round_now + rank);
      play(of[k], is_barred, switches, common[k], Random(2 * own + k), controls[k]);
    };
    std::thread other;
    if (threads) other = std::thread(play_one, 1);
    play_one(0);
    if (threads) other.join();
  }
  if (switches) {
    layer.set(true);
    exchange(all, controls[0]);  // the first receive says that the layer is on again
    MPI_Barrier(controls[0]);
  }
  switches || probes ? tally.restart() : tally.expect_all("seed " + std::to_string(seed));
}

}  // namespace

int main(int argc, char** argv) {
  const int first = argc > 1 ? std::atoi(argv[1]) : 1, count = argc > 2 ? std::atoi(argv[2]) : 10;
  for (int k = 3; k < argc; ++k) {
    const std::string_view word = argv[k];
    (word == "threads" ? threads : probes) = true;
  }
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  if (threads && level != MPI_THREAD_MULTIPLE) {
    std::puts("skipped: the library does not let several threads call it");
    MPI_Finalize();
    return 0;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  for (MPI_Comm& control : controls) MPI_Comm_dup(MPI_COMM_WORLD, &control);
  comms = some_comms();
  std::vector<char> space(256 << 20);
  MPI_Buffer_attach(space.data(), static_cast<int>(space.size()));
  std::signal(SIGALRM, hangs);
  tally.restart();
  auto memory = std::make_unique<Memory>();
  for (int seed = first; seed < first + count; ++seed) {
    alarm(threads ? 300 : 60);  // threads that poll are slow where there are more than cores
    run_program(seed);
    memory->release();
  }
  memory.reset();
  alarm(0);
  void* back;
  int bytes;
  MPI_Buffer_detach(&back, &bytes);
  free_comms(comms);
  if (rank == 0) std::printf("%d random programs are right, %lld messages paired\n", count, counted("paired_sent"));
  for (MPI_Comm& control : controls) MPI_Comm_free(&control);
  MPI_Finalize();
  return 0;
}

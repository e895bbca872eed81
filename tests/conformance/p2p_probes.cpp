// Rank 0 begins to probe while messages through shared memory are on their way to it: their sizes and their order are
// the program's own, whichever procedure asks and whichever receives. From then on nothing comes to it that way; to the
// others it does.
// usage: p2p_probes SEED: the kinds of the first probe take turns
#include <algorithm>
#include <csignal>
#include <memory>

#include "../preload/random_mpi_type.hpp"
#include "counted.hpp"
#include "p2p_complete.hpp"
#include "paired.hpp"
#include "twin.hpp"

#include <unistd.h>

using namespace conformance;
using test::Random;

namespace {

constexpr std::uint64_t kAnswer = 4711;
constexpr int kAnswerTag = 50, kMessages = 36, kTags = 4, kComms = 2;
std::vector<Comm> comms;
int rank, size, seed_of_run;
bool probes_already = false;
Tally tally;

// The n-th message of a sender.
struct Message {
  int from, comm, tag, units;
  Layout layout;
  std::uint64_t seed;
};

std::vector<Message> draw(Random& random, int from) {
  const int bytes[] = {100, 3840, 3840, 20'000, 100'000, 300'000, 8000};
  std::vector<Message> all;
  for (int k = 0; k < kMessages; ++k) {
    Message m{from,         random.below(kComms), random.below(kTags), bytes[random.below(7)] / 4, Layout::kColumn,
              random.next()};
    if (random.below(3) == 0) m.layout = Layout::kContiguous;
    all.push_back(m);
  }
  return all;
}

int rank_in(int comm, int world_rank) {
  return comms[static_cast<std::size_t>(comm)].rank_of[static_cast<std::size_t>(world_rank)];
}
MPI_Comm handle(int comm) {
  return comms[static_cast<std::size_t>(comm)].comm;
}

void hangs(int) {
  std::fprintf(stderr, "failed: seed %d hangs on rank %d\n", seed_of_run, rank);
  _exit(1);
}

struct Posted {
  int comm, source, tag;  // source: in the world
  MPI_Request request;
  std::unique_ptr<Buffer> in;
  const Message* message;  // that it matches; nullptr: none
};

// What rank 0 expects, and how it receives it.
class Queue {
 public:
  Queue(std::vector<Message> messages, std::uint64_t seed) : all_(std::move(messages)), random_(seed) {
    for (const Message& m : all_) waiting_.push_back(&m);
  }

  // Receives that are there before the messages.
  void post(int count);
  bool is_empty() const { return waiting_.empty(); }
  // Asks for a message in this way, and receives it in some way.
  void take(int way);
  void finish_posted();
  // Tells each sender how much it was sent meanwhile.
  void give_answers() {
    for (int to = 1; to < size; ++to) {
      MPI_Send(&answers_[static_cast<std::size_t>(to)], 1, MPI_INT, to, kAnswerTag + 1, MPI_COMM_WORLD);
    }
  }

 private:
  // The first that waits from each sender; nullptr if there is none. -1: any.
  const Message* first(int comm, int source, int tag) const {
    for (const Message* m : waiting_) {
      if (m->comm == comm && m->from == source && (tag < 0 || m->tag == tag)) return m;
    }
    return nullptr;
  }
  const Message& found(int comm, const MPI_Status& status, int tag, const char* what) const;
  void expect_probed(const Message& m, const MPI_Status& status, const char* what);
  void receive(int comm, int source, int tag);
  void receive_matched(MPI_Message& message, const Message& m);
  void check(const Message& m, const Buffer& in, const MPI_Status& status, const char* what);
  void done(const Message& m) { waiting_.erase(std::find(waiting_.begin(), waiting_.end(), &m)); }
  std::unique_ptr<Buffer> room() {
    const Layout layouts[] = {Layout::kColumn, Layout::kContiguous, Layout::kReversed, Layout::kPacked};
    return std::make_unique<Buffer>(Basic::kInts, layouts[random_.below(4)], 75'000 + random_.below(3) * 500);
  }
  std::string where(const char* what) const { return "seed " + std::to_string(seed_of_run) + ", " + what; }

  std::vector<Message> all_;
  std::vector<const Message*> waiting_;
  std::vector<Posted> posted_;
  std::vector<int> answers_ = std::vector<int>(static_cast<std::size_t>(size), 0);
  Random random_;
};

void Queue::post(int count) {
  for (int k = 0; k < count; ++k) {
    Posted one{random_.below(kComms),
               1 + random_.below(size - 1),
               random_.below(kTags + 1) - 1,
               MPI_REQUEST_NULL,
               room(),
               nullptr};
    MPI_Irecv(one.in->address(), one.in->count(), one.in->type(), rank_in(one.comm, one.source),
              one.tag < 0 ? MPI_ANY_TAG : one.tag, handle(one.comm), &one.request);
    posted_.push_back(std::move(one));
  }
  // As MPI matches: each message with the first receive that takes it.
  for (const Message& m : all_) {
    for (Posted& one : posted_) {
      const bool takes = one.comm == m.comm && one.source == m.from && (one.tag < 0 || one.tag == m.tag);
      if (one.message != nullptr || !takes) continue;
      one.message = &m;
      done(m);
      break;
    }
  }
}

void Queue::check(const Message& m, const Buffer& in, const MPI_Status& status, const char* what) {
  expect_envelope(status, rank_in(m.comm, m.from), m.tag, where(what));
  in.expect_count(status, m.units, where(what));
  in.expect(m.seed, m.units, where(what));
  tally.receives(!probes_already && is_pairable(Basic::kInts, m.layout, m.units));
}

// Which message of those that could be meant this is.
const Message& Queue::found(int comm, const MPI_Status& status, int tag, const char* what) const {
  for (int source = 1; source < size; ++source) {
    if (rank_in(comm, source) != status.MPI_SOURCE) continue;
    const Message* const m = first(comm, source, tag);
    CHECK(m != nullptr, "%s: nothing was sent like what comes from %d", where(what).c_str(), source);
    return *m;
  }
  CHECK(false, "%s: it comes from %d", where(what).c_str(), status.MPI_SOURCE);
}

void Queue::expect_probed(const Message& m, const MPI_Status& status, const char* what) {
  expect_envelope(status, rank_in(m.comm, m.from), m.tag, where(what));
  const Buffer in(Basic::kInts, Layout::kColumn, 1), whole(Basic::kInts, Layout::kContiguous, 1);
  in.expect_count(status, m.units, where(what));
  whole.expect_count(status, m.units, where(what));
  int bytes = -1;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  CHECK(bytes == 4 * m.units, "%s: %d bytes, not %d", where(what).c_str(), bytes, 4 * m.units);
}

void Queue::receive_matched(MPI_Message& message, const Message& m) {
  const auto in = room();
  MPI_Status status = unset_status();
  if (random_.below(2) == 0) {
    MPI_Mrecv(in->address(), in->count(), in->type(), &message, &status);
  } else {
    MPI_Request request;
    MPI_Imrecv(in->address(), in->count(), in->type(), &message, &request);
    const auto seen = [&](int, const MPI_Status* s) { status = *s; };
    int times = 0;
    complete_one(possible_completion(random_.below(kCompletions)), request, false,
                 [&](int, const MPI_Status* s) {
                   if (times++ == 0) seen(0, s);
                 },
                 {});
  }
  CHECK(message == MPI_MESSAGE_NULL, "%s", where("a message that was received").c_str());
  check(m, *in, status, "a matched receive");
  done(m);
}

// Sometimes something is sent in the same call, which its receiver takes later.
void Queue::receive(int comm, int source, int tag) {
  const auto in = room();
  const bool answers = has_shared_memory() && random_.below(2) == 0;
  const int to = answers ? 1 + random_.below(size - 1) : MPI_PROC_NULL;
  Buffer answer(Basic::kInts, Layout::kColumn, 75'000);
  answer.write(kAnswer);
  const int tag_or_any = tag < 0 ? MPI_ANY_TAG : tag;
  MPI_Status status = unset_status();
  MPI_Request request = MPI_REQUEST_NULL;
  const int way = random_.below(5);
  switch (way) {
    case 0:
      MPI_Recv(in->address(), in->count(), in->type(), source, tag_or_any, handle(comm), &status);
      break;
    case 1:
      MPI_Sendrecv(answer.address(), answer.count(), answer.type(), to < 0 ? to : rank_in(comm, to), kAnswerTag,
                   in->address(), in->count(), in->type(), source, tag_or_any, handle(comm), &status);
      if (to >= 0) ++answers_[static_cast<std::size_t>(to)], tally.sends(answer.is_pairable());
      break;
    case 2:
      MPI_Sendrecv_replace(in->address(), in->count(), in->type(), MPI_PROC_NULL, 0, source, tag_or_any, handle(comm),
                           &status);
      break;
    case 3:
      MPI_Irecv(in->address(), in->count(), in->type(), source, tag_or_any, handle(comm), &request);
      break;
    default:
      MPI_Recv_init(in->address(), in->count(), in->type(), source, tag_or_any, handle(comm), &request);
      MPI_Start(&request);
  }
  if (way >= 3) {
    int how = possible_completion(random_.below(kCompletions)), times = 0;
    if (way == 4 && how >= kTellingFrom) how -= kTellingFrom;
    complete_one(how, request, false,
                 [&](int, const MPI_Status* s) {
                   if (times++ == 0) status = *s;
                 },
                 {});
    if (way == 4) MPI_Request_free(&request);
  }
  const Message& m = found(comm, status, tag, "a receive");
  check(m, *in, status, ("a receive of way " + std::to_string(way)).c_str());
  done(m);
}

void Queue::take(int way) {
  // Something like one that waits, described more or less exactly.
  const Message& like =
      *waiting_[static_cast<std::size_t>(random_.below(std::min(20, static_cast<int>(waiting_.size()))))];
  const int comm = like.comm, tag = random_.below(3) == 0 ? -1 : like.tag;
  const int source = random_.below(3) == 0 ? MPI_ANY_SOURCE : rank_in(comm, like.from);
  const int tag_or_any = tag < 0 ? MPI_ANY_TAG : tag;
  MPI_Status status{};
  MPI_Message message = MPI_MESSAGE_NULL;
  int flag = 0;
  if (random_.below(4) == 0) {
    MPI_Iprobe(MPI_ANY_SOURCE, 77, handle(comm), &flag, &status);
    CHECK(flag == 0, "%s", where("a message that nobody has sent").c_str());
    MPI_Improbe(MPI_ANY_SOURCE, 77, handle(comm), &flag, &message, &status);
    CHECK(flag == 0, "%s", where("a message that nobody has sent").c_str());
  }
  switch (way) {
    case 0:
      MPI_Probe(source, tag_or_any, handle(comm), &status);
      break;
    case 1:
      while (flag == 0) MPI_Iprobe(source, tag_or_any, handle(comm), &flag, &status);
      break;
    case 2:
      MPI_Mprobe(source, tag_or_any, handle(comm), &message, &status);
      break;
    case 3:
      while (flag == 0) MPI_Improbe(source, tag_or_any, handle(comm), &flag, &message, &status);
      break;
    default:
      return receive(comm, source, tag);
  }
  const Message& m = found(comm, status, tag, "a probe");
  expect_probed(m, status, way < 2 ? "probed" : "probed and matched");
  if (way >= 2) return receive_matched(message, m);
  if (random_.below(3) == 0) return;
  // What was found is what is received with its envelope.
  const std::size_t before = waiting_.size();
  const Message copy = m;
  receive(comm, status.MPI_SOURCE, status.MPI_TAG);
  CHECK(waiting_.size() == before - 1, "%s", where("one").c_str());
  for (const Message* other : waiting_)
    CHECK(other->seed != copy.seed, "%s", where("another one was received").c_str());
}

void Queue::finish_posted() {
  for (Posted& one : posted_) {
    MPI_Status status = unset_status();
    if (one.message == nullptr) {
      MPI_Cancel(&one.request);
      MPI_Wait(&one.request, &status);
      int cancelled = 0;
      MPI_Test_cancelled(&status, &cancelled);
      CHECK(cancelled == 1, "%s", where("a receive of nothing").c_str());
      continue;
    }
    MPI_Wait(&one.request, &status);
    check(*one.message, *one.in, status, "a receive that was posted before");
  }
  posted_.clear();
}

// On whichever communicator.
void take_answers(int count) {
  for (int k = 0; k < count;) {
    for (int comm = 0; comm < kComms && k < count; ++comm) {
      Buffer in(Basic::kInts, Layout::kReversed, 77'000);
      MPI_Request request;
      MPI_Status status = unset_status();
      int flag = 0;
      MPI_Irecv(in.address(), in.count(), in.type(), rank_in(comm, 0), kAnswerTag, handle(comm), &request);
      // All have been sent. None is left on a communicator if the receive can be cancelled.
      MPI_Test(&request, &flag, &status);
      if (flag == 0) MPI_Cancel(&request), MPI_Wait(&request, &status);
      int cancelled = 0, ints = 0;
      MPI_Test_cancelled(&status, &cancelled);
      if (cancelled != 0) continue;
      MPI_Get_elements(&status, in.type(), &ints);
      CHECK(ints >= 75'000, "an answer of %d ints", ints);
      in.expect(kAnswer, ints, "an answer");
      tally.receives(true);
      ++k;
    }
  }
}

// Everybody sends to rank 0; `is_there`: before this one looks.
void wave(int number, bool is_there) {
  std::vector<Message> all;
  for (int from = 1; from < size; ++from) {
    Random random(static_cast<std::uint64_t>(1000 * seed_of_run + 10 * number + from));
    const std::vector<Message> own = draw(random, from);
    all.insert(all.end(), own.begin(), own.end());
  }
  if (rank == 0) {
    Queue queue(all, static_cast<std::uint64_t>(seed_of_run + number));
    Random random(static_cast<std::uint64_t>(seed_of_run + 5));
    queue.post(seed_of_run % 3 == 0 ? 0 : 8);
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_there) MPI_Barrier(MPI_COMM_WORLD);
    // Before the first probe, some are received as ever.
    for (int k = seed_of_run % 5; k > 0; --k) queue.take(4);
    if (!queue.is_empty()) queue.take(seed_of_run % 4);
    while (!queue.is_empty()) queue.take(random.below(6));
    queue.finish_posted();
    queue.give_answers();
    MPI_Barrier(MPI_COMM_WORLD);
    if (probes_already) tally.expect_all("messages to a process that probes");
    tally.restart();
    return;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  std::vector<std::unique_ptr<Buffer>> out;
  std::vector<MPI_Request> requests;
  for (const Message& m : all) {
    if (m.from != rank) continue;
    out.push_back(std::make_unique<Buffer>(Basic::kInts, m.layout, m.units));
    out.back()->write(m.seed);
    MPI_Request request;
    MPI_Isend(out.back()->address(), out.back()->count(), out.back()->type(), rank_in(m.comm, 0), m.tag, handle(m.comm),
              &request);
    requests.push_back(request);
    tally.sends(!probes_already && out.back()->is_pairable());
  }
  if (is_there && !probes_already) tally.expect_all("before the first probe");
  if (is_there) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  int answers = 0;
  MPI_Recv(&answers, 1, MPI_INT, 0, kAnswerTag + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  take_answers(answers);
  MPI_Barrier(MPI_COMM_WORLD);
  if (probes_already) tally.expect_all("messages to a process that probes");
  tally.restart();
}

// The others go on as before; and rank 0 sends through shared memory as well.
void beside() {
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  for (int k = 0; k < 8; ++k) {
    Buffer out(Basic::kInts, Layout::kColumn, 10'000 + 4 * k), in(Basic::kInts, Layout::kReversed, 11'000);
    out.write(static_cast<unsigned>(rank + 10 * k));
    MPI_Status status = unset_status();
    MPI_Sendrecv(out.address(), out.count(), out.type(), to, 3, in.address(), in.count(), in.type(), from, 3,
                 MPI_COMM_WORLD, &status);
    expect_envelope(status, from, 3, "beside");
    in.expect_count(status, 10'000 + 4 * k, "beside");
    in.expect(static_cast<unsigned>(from + 10 * k), 10'000 + 4 * k, "beside");
    tally.sends(to != 0 && out.is_pairable());
    tally.receives(rank != 0 && out.is_pairable());
  }
  tally.expect_all("beside a process that probes");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  seed_of_run = argc > 1 ? std::atoi(argv[1]) : 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  comms = some_comms();
  std::swap(comms[1], comms[2]);  // the world, and its ranks in reverse order
  std::signal(SIGALRM, hangs);
  alarm(60);
  tally.restart();
  auto memory = std::make_unique<Memory>();
  wave(0, seed_of_run % 2 == 0);
  probes_already = true;
  wave(1, true);
  beside();
  wave(2, false);
  alarm(0);
  memory.reset();
  if (rank == 0) std::puts("the data are right");
  for (std::size_t k = 1; k < comms.size(); ++k) MPI_Comm_free(&comms[k].comm);
  MPI_Finalize();
  return 0;
}

// Typed messages between processes of a node, which go through the memory that these share: each procedure that sends,
// with each that receives, in layouts of all kinds, completed in every way.
// usage: p2p_paired [ROUNDS]
#include <functional>
#include <memory>

#include "counted.hpp"
#include "p2p_complete.hpp"
#include "paired.hpp"
#include "twin.hpp"

using namespace conformance;

namespace {

#if HAS_COUNTED

enum Send {
  kSend,
  kBsend,
  kIsend,
  kIbsend,
  kRsend,
  kIrsend,
  kSendrecv,
  kReplace,
  kSsend,
  kIssend,
  kSendInit,
  kIsendrecv
};
enum Receive { kRecv, kIrecv, kRecvInit, kReceiveSendrecv, kReceiveReplace, kReceiveIsendrecv, kIreplace };
constexpr int kSends = HAS_ISENDRECV != 0 ? 12 : 11, kReceives = HAS_ISENDRECV != 0 ? 7 : 5;
bool pairs(int send) {
  return (send < kSsend && send != kBsend && send != kIbsend) || send == kSendInit;
}
bool is_exchange(int send) {
  return send == kSendrecv || send == kReplace || send == kIsendrecv;
}

std::vector<Comm> comms;
MPI_Comm control;
Tally tally;

struct Form {
  Basic basic;
  Layout out, in;
};
const Form kForms[] = {
    {Basic::kInts, Layout::kColumn, Layout::kColumn},
    {Basic::kInts, Layout::kBlocks, Layout::kContiguous},
    {Basic::kDoubles, Layout::kColumn, Layout::kReversed},
    {Basic::kInts, Layout::kMany, Layout::kBlocks},
    {Basic::kPairs, Layout::kColumn, Layout::kPairType},
    {Basic::kPairs, Layout::kReversed, Layout::kColumn},
    {Basic::kPairs, Layout::kColumn, Layout::kContiguous},
    {Basic::kLongDoubles, Layout::kColumn, Layout::kContiguous},
    {Basic::kLongDoubles, Layout::kBlocks, Layout::kColumn},
    {Basic::kBytes, Layout::kBlocks, Layout::kContiguous},
    {Basic::kDoubles, Layout::kMany, Layout::kPacked},
    {Basic::kPairs, Layout::kMany, Layout::kPacked},
    {Basic::kInts, Layout::kReversed, Layout::kMany},
    {Basic::kDoubles, Layout::kContiguous, Layout::kColumn},
    {Basic::kPairs, Layout::kPairType, Layout::kReversed},
    {Basic::kUneven, Layout::kColumn, Layout::kMany},
    {Basic::kUneven, Layout::kReversed, Layout::kContiguous},
    {Basic::kUneven, Layout::kMany, Layout::kPacked},
};
constexpr int kFormCount = sizeof kForms / sizeof kForms[0];
// [bytes] Around the smallest that are paired, and beyond a chunk, and several.
const int kSizes[] = {3888, 70'000, 3840, 16'128, 300'000, 3816, 16'392, 3'000'000, 64'512, 16'368, 8'064};

// One message from `from` to `to`, with what goes back where one of the procedures exchanges.
struct Case {
  int id, from, to, send, receive;
  Form form;
  int units, room;
  const Comm* comm;
  int tag, how;
  bool any_source, any_tag, ignored, waits;  // waits: the message is there before its receive
  std::string name() const {
    return "case " + std::to_string(id) + ", send " + std::to_string(send) + ", receive " + std::to_string(receive) +
           ", " + name_of_completion(how) + ", from " + std::to_string(from) + " to " + std::to_string(to);
  }
  std::uint64_t seed() const { return 2u * static_cast<unsigned>(id); }
  bool has_reply() const { return is_exchange(send) || receive >= kReceiveSendrecv; }
  bool replies_in_place() const { return receive == kReceiveReplace || receive == kIreplace; }
  int reply_units() const { return replies_in_place() ? room : units; }
};

void give_token(int to) {
  MPI_Send(nullptr, 0, MPI_BYTE, to, 1, control);
}
void take_token(int from) {
  MPI_Recv(nullptr, 0, MPI_BYTE, from, 1, control, MPI_STATUS_IGNORE);
}

using StartsSend = int (*)(const void*, Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

void run_sender(const Case& c, bool starts_late) {
  Buffer out(c.form.basic, c.form.out, c.units);
  // What comes back, if it does not replace what went.
  Buffer back(c.form.basic, Layout::kMany, std::max(c.units, c.room));
  out.write(c.seed());
  const int to = c.comm->rank_of[static_cast<std::size_t>(c.to)];
  const MPI_Comm comm = c.comm->comm;
  MPI_Request reply = MPI_REQUEST_NULL, request = MPI_REQUEST_NULL;
  MPI_Status status = unset_status();
  if (starts_late) take_token(c.to);
  if (c.has_reply() && !is_exchange(c.send)) {
    MPI_Irecv(back.address(), back.count(), back.type(), to, c.tag + 1, comm, &reply);
  }
  const auto starts = [&](StartsSend start) {
    start(out.address(), out.count(), out.type(), to, c.tag, comm, &request);
  };
  switch (c.send) {
    case kSend:
      COUNTED(MPI_Send)(out.address(), out.count(), out.type(), to, c.tag, comm);
      break;
    case kBsend:
      COUNTED(MPI_Bsend)(out.address(), out.count(), out.type(), to, c.tag, comm);
      break;
    case kRsend:
      COUNTED(MPI_Rsend)(out.address(), out.count(), out.type(), to, c.tag, comm);
      break;
    case kSsend:
      COUNTED(MPI_Ssend)(out.address(), out.count(), out.type(), to, c.tag, comm);
      break;
    case kIsend:
      starts(COUNTED(MPI_Isend));
      break;
    case kIbsend:
      starts(COUNTED(MPI_Ibsend));
      break;
    case kIrsend:
      starts(COUNTED(MPI_Irsend));
      break;
    case kIssend:
      starts(COUNTED(MPI_Issend));
      break;
    case kSendInit:
      starts(COUNTED(MPI_Send_init));
      MPI_Start(&request);
      break;
    case kSendrecv:
      COUNTED(MPI_Sendrecv)
      (out.address(), out.count(), out.type(), to, c.tag, back.address(), back.count(), back.type(), to, c.tag + 1,
       comm, &status);
      break;
    case kReplace:
      COUNTED(MPI_Sendrecv_replace)
      (out.address(), out.count(), out.type(), to, c.tag, to, c.tag + 1, comm, &status);
      break;
    default:
#if HAS_ISENDRECV
      COUNTED(MPI_Isendrecv)
      (out.address(), out.count(), out.type(), to, c.tag, back.address(), back.count(), back.type(), to, c.tag + 1,
       comm, &request);
#endif
      break;
  }
  if (c.waits) give_token(c.to);
  const bool is_own = c.send == kIsendrecv;
  MPI_Wait(&request, is_own ? &status : MPI_STATUS_IGNORE);
  if (c.send == kSendInit) MPI_Request_free(&request);
  CHECK(request == MPI_REQUEST_NULL, "%s: its request", c.name().c_str());
  const bool replaced = c.send == kReplace;
  // The buffer is the program's again.
  if (!replaced) out.write(1);
  MPI_Wait(&reply, is_exchange(c.send) ? MPI_STATUS_IGNORE : &status);
  tally.sends(pairs(c.send) && out.is_pairable());
  if (!c.has_reply()) return;
  Buffer& came = replaced ? out : back;
  if (!is_own || ISENDRECV_IS_SOUND) {
    if (is_exchange(c.send) || !is_own) expect_envelope(status, to, c.tag + 1, c.name() + ": reply");
    came.expect_count(status, c.reply_units(), c.name() + ": reply");
  }
  came.expect(c.seed() + 1, c.reply_units(), c.name() + ": reply");
}

void run_receiver(const Case& c, bool starts_late) {
  Buffer in(c.form.basic, c.form.in, c.room);
  Buffer reply(c.form.basic, Layout::kColumn, c.reply_units());
  reply.write(c.seed() + 1);
  const bool in_place = c.replies_in_place();
  if (in_place) in.write(c.seed() + 1);
  const int peer = c.comm->rank_of[static_cast<std::size_t>(c.from)];
  const int source = c.any_source ? MPI_ANY_SOURCE : peer, tag = c.any_tag ? MPI_ANY_TAG : c.tag;
  const MPI_Comm comm = c.comm->comm;
  MPI_Status own = unset_status();
  MPI_Status* const status = c.ignored ? MPI_STATUS_IGNORE : &own;
  MPI_Request request = MPI_REQUEST_NULL, replying = MPI_REQUEST_NULL;
  if (c.waits) take_token(c.from);
  const bool replies_apart = c.has_reply() && c.receive < kReceiveSendrecv;
  const auto start_reply = [&] {
    if (!replies_apart) return;
    MPI_Isend(reply.address(), reply.count(), reply.type(), peer, c.tag + 1, comm, &replying);
    tally.sends(reply.is_pairable());
  };
  const auto seen = [&](const MPI_Status* s, const char* when) {
    const std::string what = c.name() + when;
    const bool is_sound = c.receive < kReceiveIsendrecv || ISENDRECV_IS_SOUND;
    if (s != nullptr && is_sound) {
      expect_envelope(*s, peer, c.tag, what);
      in.expect_count(*s, c.units, what);
    }
    if (in_place && c.units < c.room) return;  // its other units were sent
    in.expect(c.seed(), c.units, what);
  };
  if (c.receive == kRecv) {
    start_reply();
    COUNTED(MPI_Recv)(in.address(), in.count(), in.type(), source, tag, comm, status);
  } else if (c.receive == kReceiveSendrecv) {
    COUNTED(MPI_Sendrecv)
    (reply.address(), reply.count(), reply.type(), peer, c.tag + 1, in.address(), in.count(), in.type(), source, tag,
     comm, status);
    tally.sends(reply.is_pairable());
  } else if (c.receive == kReceiveReplace) {
    COUNTED(MPI_Sendrecv_replace)(in.address(), in.count(), in.type(), peer, c.tag + 1, source, tag, comm, status);
    tally.sends(in.is_pairable());
  } else {
    if (c.receive == kIrecv) COUNTED(MPI_Irecv)(in.address(), in.count(), in.type(), source, tag, comm, &request);
    if (c.receive == kRecvInit) {
      COUNTED(MPI_Recv_init)(in.address(), in.count(), in.type(), source, tag, comm, &request);
      MPI_Start(&request);
    }
#if HAS_ISENDRECV
    if (c.receive == kReceiveIsendrecv) {
      COUNTED(MPI_Isendrecv)
      (reply.address(), reply.count(), reply.type(), peer, c.tag + 1, in.address(), in.count(), in.type(), source, tag,
       comm, &request);
    }
    if (c.receive == kIreplace) {
      COUNTED(MPI_Isendrecv_replace)
      (in.address(), in.count(), in.type(), peer, c.tag + 1, source, tag, comm, &request);
    }
#endif
    if (c.id % 3 == 0) in.free_type();  // MPI keeps it
    if (starts_late) give_token(c.from);
    start_reply();
  }
  if (c.receive == kRecv || c.receive == kReceiveSendrecv || c.receive == kReceiveReplace) {
    seen(c.ignored ? nullptr : &own, "");
  } else {
    int completed = 0;
    const auto done = [&](int, const MPI_Status* s) {
      if (completed++ == 0) seen(c.id % 3 == 0 ? nullptr : s, ": completed");
    };
    const auto told = [&](int, const MPI_Status* s) { seen(c.id % 3 == 0 ? nullptr : s, ": told"); };
    complete_one(c.how, request, c.ignored, done, told);
    CHECK(completed > 0, "%s", c.name().c_str());
    if (c.receive == kRecvInit) MPI_Request_free(&request);
    CHECK(request == MPI_REQUEST_NULL, "%s: its request", c.name().c_str());
  }
  MPI_Wait(&replying, MPI_STATUS_IGNORE);
}

bool may_wait(int send) {
  return send != kSend && send != kRsend && send != kSsend && send != kSendrecv && send != kReplace && send != kIrsend;
}

// What the other parameters are follows from the case's number: they meet in all ways.
Case make_case(int id, int send, int receive, const Form& form, int ranks) {
  const int unit = unit_bytes(form.basic);
  Case c{id,
         id % ranks,
         0,
         send,
         receive,
         form,
         0,
         0,
         &comms[static_cast<std::size_t>(id / 3 % 4)],
         10 + id % 3000 * 2,
         possible_completion(id / 7 + id),
         id % 4 == 1,
         id % 5 == 2,
         id % 7 == 3,
         false};
  c.to = (c.from + 1 + id / ranks % (ranks - 1)) % ranks;
  const int bytes = kSizes[id % (sizeof kSizes / sizeof kSizes[0])];
  c.units = (id % 2 == 0 && bytes == 3'000'000 ? 150'000 : bytes) / unit;
  const bool same = (send == kReplace && c.replies_in_place()) || id % 3 != 1;
  c.room = same ? c.units : c.units + c.units / 3 + 5;
  // Which processes know of this type, and pair it, depends on what they did before.
  if (form.out == Layout::kPairType && !is_forced()) c.form.out = Layout::kMany;
  if (form.in == Layout::kPairType && c.replies_in_place() && !is_forced()) c.form.in = Layout::kReversed;
  if (receive == kRecvInit) c.how = for_persistent(c.how);
  c.waits = may_wait(send) && id % 2 == 1;
  return c;
}

void run(const Case& c, int rank) {
  const bool is_anything = c.any_source && c.any_tag;
  const bool starts = c.receive == kIrecv || c.receive == kRecvInit || c.receive >= kReceiveIsendrecv;
  const bool is_ready = c.send == kRsend || c.send == kIrsend;
  if (is_ready && !starts) return;
  const bool starts_late = starts && !c.waits && (is_ready || c.id % 4 < 2);
  // Without the layer they would come to the wrong places.
  if (c.receive == kIreplace && !ISENDRECV_IS_SOUND && c.form.in == Layout::kPairType) return;
  if (is_anything) MPI_Barrier(control);
  if (rank == c.from) run_sender(c, starts_late);
  if (rank == c.to) {
    run_receiver(c, starts_late);
    tally.receives(pairs(c.send) && is_pairable(c.form.basic, c.form.out, c.units));
  }
  // The reply.
  if (rank == c.from && c.has_reply()) {
    const Layout layout = c.replies_in_place() ? c.form.in : Layout::kColumn;
    const bool sent_so = c.receive != kReceiveIsendrecv && c.receive != kIreplace;
    tally.receives(sent_so && is_pairable(c.form.basic, layout, c.reply_units()));
  }
  if (is_anything) MPI_Barrier(control);
}

void every_pair_of_procedures(int percent) {
  const Members world(MPI_COMM_WORLD);
  std::vector<char> space(16 << 20);
  MPI_Buffer_attach(space.data(), static_cast<int>(space.size()));
  int id = 0;
  for (int send = 0; send < kSends; ++send) {
    for (int receive = 0; receive < kReceives; ++receive) {
      for (const Form& form : kForms) {
        ++id;
        if (id * 37 % 100 < percent) run(make_case(id, send, receive, form, world.size), world.rank);
      }
    }
  }
  void* back;
  int bytes;
  MPI_Buffer_detach(&back, &bytes);
  tally.expect_all("every pair of procedures");
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
  const int percent = argc > 1 ? std::atoi(argv[1]) : 100;
  MPI_Comm_dup(MPI_COMM_WORLD, &control);
  comms = some_comms();
  tally.restart();
  auto memory = std::make_unique<Memory>();
  every_pair_of_procedures(percent);
  memory.reset();
  free_comms(comms);
  if (Members(control).rank == 0) std::printf("the data are right, %lld paired\n", counted("paired_sent"));
  MPI_Comm_free(&control);
  MPI_Finalize();
  return 0;
#endif
}

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

enum Send { kSend, kBsend, kIsend, kIbsend, kRsend, kIrsend, kSendrecv, kReplace, kSsend, kIssend, kSendInit, kIsendrecv };
enum Receive { kRecv, kIrecv, kRecvInit, kReceiveSendrecv, kReceiveReplace, kReceiveIsendrecv, kIreplace };
constexpr int kSends = HAS_ISENDRECV != 0 ? 12 : 11, kReceives = HAS_ISENDRECV != 0 ? 7 : 5;
bool pairs(int send) {
  return send < kSsend;
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
};
constexpr int kFormCount = sizeof kForms / sizeof kForms[0];
// [bytes] Around the smallest that are paired, and beyond a chunk, and several.
const int kSizes[] = {4080, 70'000, 4032, 16'128, 300'000, 4008, 16'392, 3'000'000, 64'512, 16'368, 8'064};

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

// A way to complete a persistent operation.
int for_persistent(int how) {
  return ASKING_LEAVES_PERSISTENT || how < kTellingFrom ? how : how - kTellingFrom;
}

// What the other parameters are follows from the case's number: they meet in all ways.
Case make_case(int id, int send, int receive, const Form& form, int ranks) {
  const int unit = unit_bytes(form.basic);
  Case c{id, id % ranks, 0, send, receive, form, 0, 0, &comms[static_cast<std::size_t>(id / 3 % 4)], 10 + id % 3000 * 2,
         possible_completion(id / 7 + id), id % 4 == 1, id % 5 == 2, id % 7 == 3, false};
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

// Everything at once, between all ranks: receives before and after the messages come, in one order for each tag, with
// and without wildcards; small ones, null and inactive requests among them.
void mixtures(int how, bool ignored) {
  const Members world(MPI_COMM_WORLD);
  constexpr int kMessages = 14, kTags = 3;
  const int sizes[] = {16, 40'000, 4032, 200'000, 17'000, 100'000, 0};
  // The k-th message from a rank to another one.
  const auto units_of = [&](int from, int to, int k) { return sizes[(k + from + 2 * to + how) % 7] / 4; };
  const auto seed_of = [&](int from, int to, int k) { return 1000u * static_cast<unsigned>(10 * from + to) + static_cast<unsigned>(k); };
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
      COUNTED(MPI_Isend)(out.back()->address(), units == 0 ? 0 : 1, out.back()->type(), comm.rank_of[static_cast<std::size_t>(to)], k % kTags, comm.comm, &request);
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
    const std::string what = std::string("a mixture by ") + name_of_completion(how) + ", message " + std::to_string(which) +
                             " from " + std::to_string(from);
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
  const int sizes[] = {100'000, 8, 4032, 20'000, 4032 * 4, 60'000, 400};
  const int to = (world.rank + 1) % world.size, from = (world.rank + world.size - 1) % world.size;
  const auto layout_of = [&](int k) { return k % 4 == 1 ? Layout::kContiguous : Layout::kBlocks; };
  const auto units_of = [&](int k) { return sizes[(k + round) % 7] / 4; };
  std::vector<std::unique_ptr<Buffer>> out;
  std::vector<MPI_Request> sends(kMessages);
  for (int k = 0; k < kMessages; ++k) {
    out.push_back(std::make_unique<Buffer>(Basic::kInts, layout_of(k), units_of(k)));
    out.back()->write(static_cast<unsigned>(kMessages * world.rank + k));
    COUNTED(MPI_Isend)(out.back()->address(), out.back()->count(), out.back()->type(), comm.rank_of[static_cast<std::size_t>(to)],
              round % 2 == 0 ? 5 : k % 4, comm.comm, &sends[static_cast<std::size_t>(k)]);
    tally.sends(out.back()->is_pairable());
  }
  if (round % 3 != 0) MPI_Barrier(control);
  const int source = comm.rank_of[static_cast<std::size_t>(from)];
  const auto receive = [&](int k, int tag) {
    Buffer in(Basic::kInts, k % 2 == 0 ? Layout::kColumn : Layout::kContiguous, 30'000);
    MPI_Status status = unset_status();
    COUNTED(MPI_Recv)(in.address(), in.count(), in.type(), round % 5 == 0 ? MPI_ANY_SOURCE : source, tag, comm.comm, &status);
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
  const int sizes[] = {80'000, 12, 4032, 17'000, 90'000, 4032, 0, 64'000};
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
    for (const int units : {1008, 5000, 75'000}) {
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
      (out.address(), out.count(), out.type(), self, 8, in.address(), in.count(), in.type(), self, 8, comm.comm, &status);
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
  const int percent = argc > 1 ? std::atoi(argv[1]) : 100;
  MPI_Comm_dup(MPI_COMM_WORLD, &control);
  comms = some_comms();
  tally.restart();
  every_pair_of_procedures(percent);
  for (int how = 0; how < kCompletions; ++how) {
    for (const bool ignored : {false, true}) mixtures(possible_completion(how), ignored);
  }
  for (int round = 0; round < 20; ++round) in_order(round);
  for (int how = 0; how < kCompletions; ++how) restarted(for_persistent(possible_completion(how)));
  to_oneself();
  free_comms(comms);
  if (Members(control).rank == 0) std::printf("the data are right, %lld paired\n", counted("paired_sent"));
  MPI_Comm_free(&control);
  MPI_Finalize();
  return 0;
#endif
}

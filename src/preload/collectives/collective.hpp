// A collective call: decided, rewritten on every process or on none, and executed in one of MPI's three forms.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "preload/collectives/exchange.hpp"
#include "preload/collectives/side.hpp"
#include "preload/policy/members.hpp"
#include "preload/requests/requests.hpp"
#include "preload/stats/counters.hpp"
#include "preload/transfer/transfer.hpp"

namespace gapless::preload {

enum class Form { kBlocking, kNonblocking, kPersistent };

// The data of a rewritten call: packed before it begins, unpacked when it has completed.
class Collective final : public CollectiveData {
 public:
  Collective(Procedure procedure, Form form) noexcept
      : sent(form != Form::kBlocking), received(form != Form::kBlocking), procedure_(procedure) {}
  Side sent, received;
  // What goes through shared memory, of a blocking call on this node; `whole`: nothing else is left to do.
  std::optional<Exchange> exchange;
  bool whole = false;
  std::vector<Piece> blocks_out, blocks_in;  // of a whole one
  // Of a nonblocking call on this node, of which some blocks may go that way.
  std::optional<BlockMessages> messages;
  Reason left = Reason::kNone;  // why all but those goes as the program gave it
  // The error class to raise where that failed: another process has ended, there is no memory, or the sizes differ.
  int error = MPI_SUCCESS;
  void pack() noexcept override {
    BlockMessages* const some = messages.has_value() ? &*messages : nullptr;
    sent.pack(procedure_, some);
    received.pack(procedure_, nullptr);
  }
  void unpack() noexcept override {
    received.unpack(procedure_, messages.has_value() ? &*messages : nullptr);
    if (!messages.has_value()) return;
    messages->count();
    error = messages->error();
  }
  int failure() const noexcept override { return error; }
  std::int64_t sent_bytes() const noexcept override { return sent.blocks().bytes(); }
  // All goes through shared memory.
  void leave() noexcept {
    sent.leave();
    received.leave();
  }
  bool reserve() noexcept { return sent.reserve() && received.reserve(); }
  // True if there are blocks that go through shared memory.
  bool is_exchanged() const noexcept { return exchange.has_value() && exchange->bytes() > 0; }
  bool is_packed() const noexcept { return sent.is_packed() || received.is_packed() || is_exchanged(); }
  std::int64_t bytes() const noexcept {
    // Of a whole one the blocks are the very ones that are exchanged.
    const std::int64_t by_library = whole ? 0 : sent.blocks().bytes() + received.blocks().bytes();
    return by_library + (exchange.has_value() ? exchange->bytes() : 0);
  }

 private:
  Procedure procedure_;
};

// The processes that must decide alike.
enum class DecisionScope {
  kAll,       // all, by facts that are the same on every process
  kPairwise,  // as kAll; but a process that cannot rewrite its arguments leaves them as they are. That is sound, for in
              // these calls a message goes from one process to one other, and is bytes on the way; and it is needed,
              // for no other process may know the message's size
  kLocal,     // each process for itself (the w-versions: every message has types of its own at both its ends)
};

// The arguments that all collectives have, and what is decided by them.
struct Call {
  Procedure procedure;
  Form form;
  MPI_Comm comm;
  MPI_Request* request;  // of the forms that have one
  DecisionScope scope{};
  Members members{};
  // Whether all members ask each other if all blocks go through shared memory, once that is looked at (asks_all).
  std::optional<bool> asks{};
  // Of a v- or w-call: some of its blocks may come as messages. And why it is to change nothing else, or kNone.
  bool may_bring_messages = false;
  Reason only_looks = Reason::kNone;
  // [bytes] The most staging that the call takes on any process, the same on all; of kAll.
  std::int64_t max_bytes = 0;
};

// The first decision, before the blocks are described: a reason to leave the call to the library whatever they are.
Reason reason_not_to_convert(Call& call) noexcept;
// True if the members may exchange blocks through shared memory: the same on all of them.
bool may_exchange(const Call& call) noexcept;
// True of a call in which some blocks may come as headers (messages.hpp).
bool may_meet_headers(const Call& call) noexcept;
// True if every process can stage so many bytes.
bool may_be_staged(std::int64_t bytes) noexcept;
// The last decision, with the blocks described: reserves the staging.
Reason reserve(const Call& call, Collective& collective) noexcept;
void count_collective(const Call& call, const Collective* collective, Reason reason) noexcept;
void count_contiguous(const Call& call, std::int64_t bytes) noexcept;
// Unpacks the rest of what comes through shared memory. Returns false, with the collective's error, if it cannot.
bool finish(Collective& collective) noexcept;
// Keeps the data of a nonblocking or persistent call until its request completes.
int start_and_keep(const Call& call, RequestEntry* entry, std::unique_ptr<Collective> collective, MPI_Request made,
                   int code) noexcept;

// Rewrites a side of `blocks` blocks as bytes in place, if its elements are contiguous and nothing about it is special.
// The same as Side does, for next to nothing. Returns false if Side must decide.
bool rewrite_as_bytes(View& given, int blocks) noexcept;

// Decides and calls. `describe(collective)` describes its sides, or returns the reason why not. `native(sent, received,
// request)` makes the library's call. `at_once(code)` makes it and returns true if all sides are plainly contiguous:
// most calls are, and must cost next to nothing.
template <class Out, class In, class Describe, class Native, class AtOnce>
[[gnu::noinline]] int perform(Call& call, const Out& out, const In& in, Describe&& describe, Native&& native,
                              AtOnce&& at_once) {
  const auto decide = [&](Collective& collective) {
    Reason reason = describe(collective);
    if (collective.whole) collective.leave();
    if (reason == Reason::kNone && !collective.whole) reason = reserve(call, collective);
    // The others count on what goes through shared memory; the rest can go as the program gave it.
    if (reason == Reason::kStaging && (collective.is_exchanged() || collective.messages.has_value())) {
      collective.leave();
      if (collective.messages.has_value()) collective.left = reason;
      reason = Reason::kNone;
    }
    if (reason == Reason::kNone) count_collective(call, &collective, collective.left);
    return reason;
  };
  const auto rewritten = [&](const Collective& collective, MPI_Request* made) {
    return native(collective.sent.view(out), collective.received.view(in), made);
  };
  Reason reason = reason_not_to_convert(call);
  if (reason == Reason::kNone && call.form == Form::kBlocking) {
    if (int code; at_once(code)) return code;
    Collective collective(call.procedure, call.form);
    reason = decide(collective);
    if (collective.error != MPI_SUCCESS) return raise_error(collective.error, call.comm);
    if (reason == Reason::kNone) {
      collective.pack();
      if (collective.exchange.has_value()) collective.exchange->run_sends();
      const int code = collective.whole ? MPI_SUCCESS : rewritten(collective, nullptr);
      if (code == MPI_SUCCESS) collective.unpack();
      if (!finish(collective)) return raise_error(collective.error, call.comm);
      return code;
    }
  } else if (reason == Reason::kNone) {
    RequestEntry* const entry = requests.make(call.procedure);
    std::unique_ptr<Collective> collective(new (std::nothrow) Collective(call.procedure, call.form));
    reason = entry == nullptr || collective == nullptr ? Reason::kStaging : decide(*collective);
    if (reason == Reason::kNone) {
      if (call.form == Form::kNonblocking) collective->pack();
      MPI_Request made = MPI_REQUEST_NULL;
      const int code = rewritten(*collective, &made);
      return start_and_keep(call, entry, std::move(collective), made, code);
    }
    if (entry != nullptr) requests.drop(entry);
    if (reason == Reason::kStaging && may_meet_headers(call)) refuse(Refusal::kReceive);
  }
  count_collective(call, nullptr, reason);
  const bool fails = reason == Reason::kStaging && call.scope == DecisionScope::kAll;
  const int error = fails ? raise_error(MPI_ERR_NO_MEM, call.comm) : MPI_SUCCESS;
  const int code = native(out, in, call.request);
  return fails && code == MPI_SUCCESS ? error : code;
}

template <class Out, class In, class Describe, class Native>
int perform(Call& call, const Out& out, const In& in, Describe&& describe, Native&& native) {
  return perform(call, out, in, describe, native, [](int&) { return false; });
}

// The bytes of `blocks` blocks, sent and received, and of tables; INT64_MAX, which no reserve has, if that overflows.
inline std::int64_t both_ways(std::int64_t block_bytes, int blocks, std::int64_t tables = 0) noexcept {
  std::int64_t bytes;
  const bool overflows = __builtin_mul_overflow(block_bytes, std::int64_t{2} * blocks, &bytes) ||
                         __builtin_add_overflow(bytes, tables, &bytes);
  return overflows ? INT64_MAX : bytes;
}

}  // namespace gapless::preload

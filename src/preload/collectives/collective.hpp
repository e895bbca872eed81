// A collective call: decided, rewritten on every process or on none, and executed in one of MPI's three forms.
#pragma once

#include <cstdint>
#include <memory>
#include <new>

#include "preload/collectives/blocks.hpp"
#include "preload/policy/members.hpp"
#include "preload/requests/requests.hpp"
#include "preload/stats/counters.hpp"

namespace gapless::preload {

enum class Form { kBlocking, kNonblocking, kPersistent };

// The data of a rewritten call: packed before it begins, unpacked when it has completed.
class Collective final : public CollectiveData {
 public:
  Collective(Procedure procedure, Form form) noexcept
      : sent(form != Form::kBlocking), received(form != Form::kBlocking), procedure_(procedure) {}
  Blocks sent, received;  // one that is not set is not significant on this process, or MPI_IN_PLACE
  void pack() noexcept override {
    sent.pack(procedure_);
    received.pack(procedure_);
  }
  void unpack() noexcept override { received.unpack(procedure_); }
  std::int64_t sent_bytes() const noexcept override { return sent.bytes(); }
  bool reserve() noexcept { return sent.reserve() && received.reserve(); }
  bool is_staged() const noexcept {
    return sent.is_staged() || received.is_staged() || (sent.is_joined() && !sent.are_contiguous()) ||
           (received.is_joined() && !received.are_contiguous());
  }
  std::int64_t bytes() const noexcept { return sent.bytes() + received.bytes(); }

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

// The arguments that all collectives have.
struct Call {
  Procedure procedure;
  Form form;
  DecisionScope scope;
  MPI_Comm comm;
  MPI_Request* request;  // of the forms that have one
  Members members{};
  // [bytes] The most staging that the call takes on any process, the same on all; of kAll.
  std::int64_t max_bytes = 0;
};

// The first decision, before the blocks are described: a reason to leave the call to the library whatever they are.
Reason reason_not_to_convert(Call& call) noexcept;
// True if every process can stage so many bytes.
bool may_be_staged(std::int64_t bytes) noexcept;
// The last decision, with the blocks described: reserves the staging.
Reason reserve(const Call& call, Collective& collective) noexcept;
void count_collective(const Call& call, const Collective* collective, Reason reason) noexcept;
void count_contiguous(const Call& call, std::int64_t bytes) noexcept;
// Raises MPI_ERR_NO_MEM and returns it.
int raise_no_memory(MPI_Comm comm) noexcept;
// Keeps the data of a nonblocking or persistent call until its request completes.
int start_and_keep(const Call& call, RequestEntry* entry, std::unique_ptr<Collective> collective, MPI_Request made,
                   int code) noexcept;

// A side's arguments for the library, of a plain collective.
struct View {
  const void* buffer;
  MPI_Count count;
  MPI_Datatype type;
};
// Rewrites a side of `blocks` blocks as bytes in place, if its elements are contiguous and nothing about it is special.
// The same as Blocks does, for next to nothing. Returns false if Blocks must decide.
bool rewrite_as_bytes(View& side, int blocks) noexcept;

// The library's arguments for a side: rewritten, or as `given`.
inline View view(const Blocks& blocks, const View& given) noexcept {
  if (blocks.is_joined()) return {MPI_IN_PLACE, 0, MPI_BYTE};
  return blocks.is_set() ? View{blocks.buffer(), blocks.block_bytes(), MPI_BYTE} : given;
}

// Decides and calls. `describe(collective, call)` sets its sides, or returns the reason why not. `native(collective,
// request)` makes the library's call, with the program's arguments if `collective` is null. `at_once(call, code)` makes
// the library's call and returns true if all sides are plainly contiguous: most calls are, and must cost next to
// nothing.
template <class Describe, class Native, class AtOnce>
[[gnu::noinline]] int perform(Call call, Describe&& describe, Native&& native, AtOnce&& at_once) {
  Reason reason = reason_not_to_convert(call);
  if (call.form == Form::kBlocking) {
    if (reason == Reason::kNone) {
      if (int code; at_once(call, code)) return code;
      Collective collective(call.procedure, call.form);
      reason = describe(collective, call);
      if (reason == Reason::kNone) reason = reserve(call, collective);
      if (reason == Reason::kNone) {
        count_collective(call, &collective, reason);
        collective.pack();
        const int code = native(&collective, nullptr);
        if (code == MPI_SUCCESS) collective.unpack();
        return code;
      }
    }
  } else if (reason == Reason::kNone) {
    RequestEntry* const entry = requests.make(call.procedure);
    std::unique_ptr<Collective> collective(new (std::nothrow) Collective(call.procedure, call.form));
    reason = entry == nullptr || collective == nullptr ? Reason::kStaging : describe(*collective, call);
    if (reason == Reason::kNone) reason = reserve(call, *collective);
    if (reason == Reason::kNone) {
      count_collective(call, collective.get(), reason);
      if (call.form == Form::kNonblocking) collective->pack();
      MPI_Request made = MPI_REQUEST_NULL;
      const int code = native(collective.get(), &made);
      return start_and_keep(call, entry, std::move(collective), made, code);
    }
    if (entry != nullptr) requests.drop(entry);
  }
  count_collective(call, nullptr, reason);
  const bool fails = reason == Reason::kStaging && call.scope == DecisionScope::kAll;
  const int error = fails ? raise_no_memory(call.comm) : MPI_SUCCESS;
  const int code = native(nullptr, call.request);
  return fails && code == MPI_SUCCESS ? error : code;
}

template <class Describe, class Native>
int perform(const Call& call, Describe&& describe, Native&& native) {
  return perform(call, describe, native, [](const Call&, int&) { return false; });
}

// The same of a v-collective.
template <class Count, class Displacement>
struct Views {
  const void* buffer;
  const Count* counts;
  const Displacement* displacements;
  MPI_Datatype type;
};
template <class Count, class Displacement>
Views<Count, Displacement> view(Blocks& blocks, const Views<Count, Displacement>& given) noexcept {
  if (!blocks.is_set()) return given;
  blocks.tabulate<Count, Displacement>();
  return {blocks.buffer(), blocks.counts<Count>(), blocks.displacements<Displacement>(), MPI_BYTE};
}
// And of a w-collective.
template <class Count, class Displacement>
struct TypedViews {
  const void* buffer;
  const Count* counts;
  const Displacement* displacements;
  const MPI_Datatype* types;
};
template <class Count, class Displacement>
TypedViews<Count, Displacement> view(Blocks& blocks, const TypedViews<Count, Displacement>& given) noexcept {
  if (!blocks.is_set()) return given;
  blocks.tabulate<Count, Displacement>();
  return {blocks.buffer(), blocks.counts<Count>(), blocks.displacements<Displacement>(), blocks.types()};
}

// The bytes of `blocks` blocks, sent and received; INT64_MAX, which no reserve has, if that overflows.
inline std::int64_t both_ways(std::int64_t block_bytes, int blocks) noexcept {
  std::int64_t bytes;
  return __builtin_mul_overflow(block_bytes, std::int64_t{2} * blocks, &bytes) ? INT64_MAX : bytes;
}

}  // namespace gapless::preload

// The last parameters and arguments of each form.
#define GAPLESS_BLOCKING_PARAMETERS MPI_Comm comm
#define GAPLESS_BLOCKING_ARGUMENTS comm
#define GAPLESS_BLOCKING_REQUEST nullptr
#define GAPLESS_NONBLOCKING_PARAMETERS MPI_Comm comm, MPI_Request *request
#define GAPLESS_NONBLOCKING_ARGUMENTS comm, made
#define GAPLESS_NONBLOCKING_REQUEST request
#define GAPLESS_PERSISTENT_PARAMETERS MPI_Comm comm, MPI_Info info, MPI_Request *request
#define GAPLESS_PERSISTENT_ARGUMENTS comm, info, made
#define GAPLESS_PERSISTENT_REQUEST request

// Defines, by GAPLESS_X(name, large name, Count, FORM, Form), all six wrappers of a collective.
#define GAPLESS_ALL_FORMS(GAPLESS_X, blocking, nonblocking, persistent)         \
  GAPLESS_X(blocking, blocking, int, BLOCKING, kBlocking)                       \
  GAPLESS_X(blocking##_c, blocking, MPI_Count, BLOCKING, kBlocking)             \
  GAPLESS_X(nonblocking, nonblocking, int, NONBLOCKING, kNonblocking)           \
  GAPLESS_X(nonblocking##_c, nonblocking, MPI_Count, NONBLOCKING, kNonblocking) \
  GAPLESS_X(persistent, persistent, int, PERSISTENT, kPersistent)               \
  GAPLESS_X(persistent##_c, persistent, MPI_Count, PERSISTENT, kPersistent)

// A collective call: decided, changed on every process or on none, and carried out in one of MPI's three forms.
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

// What is left to do once a call is decided: before it begins, and when it is over.
class Collective final : public CollectiveData {
 public:
  Collective(Procedure procedure, Form form) noexcept
      : sent(form != Form::kBlocking), received(form != Form::kBlocking), procedure_(procedure) {}
  Blocks sent, received;  // one that is not set is of no significance on this process, or the program's MPI_IN_PLACE
  void pack() noexcept override {
    sent.pack(procedure_);
    received.pack(procedure_);
  }
  void unpack() noexcept override { received.unpack(procedure_); }
  std::int64_t sent_bytes() const noexcept override { return sent.bytes(); }
  bool reserve() noexcept { return sent.reserve() && received.reserve(); }
  bool is_staged() const noexcept {
    return sent.is_staged() || received.is_staged() || (sent.is_joined() && !sent.lie_ready()) ||
           (received.is_joined() && !received.lie_ready());
  }
  std::int64_t bytes() const noexcept { return sent.bytes() + received.bytes(); }

 private:
  Procedure procedure_;
};

// Who decides.
enum class Decides {
  kAll,    // only facts that are the same on every process
  kPairs,  // as kAll; but a process that cannot go with the others describes its messages as the program did, which in
           // these calls go from one process to another and are bytes on the way. Of some, no other process knows the
           // size
  kEach,   // each process for itself (the w-versions: every message has types of its own at both its ends)
};

// What a call is about.
struct Call {
  Procedure procedure;
  Form form;
  Decides decides;
  MPI_Comm comm;
  MPI_Request* request;  // of the forms that have one
  Members members{};
  // [bytes] of staging that the call takes at most on any process, the same on all; of kAll.
  std::int64_t max_bytes = 0;
};

// The first question, before anything is described: whether the call is left to the library whatever its arguments.
Reason obstacle(Call& call) noexcept;
// Whether staging of so many bytes is there on every process, if need be.
bool may_be_staged(std::int64_t bytes) noexcept;
// The last question, with everything described: whether staging is there.
Reason reserve(const Call& call, Collective& collective) noexcept;
void count_collective(const Call& call, const Collective* collective, Reason reason) noexcept;
void count_ready(const Call& call, std::int64_t bytes) noexcept;
// Raises MPI_ERR_NO_MEM and returns it.
int raise_no_memory(MPI_Comm comm) noexcept;
// A nonblocking or persistent call's: kept until its request is over.
int start_and_keep(const Call& call, RequestEntry* entry, std::unique_ptr<Collective> collective, MPI_Request made,
                   int code) noexcept;

// How the library sees a uniform side.
struct View {
  const void* buffer;
  MPI_Count count;
  MPI_Datatype type;
};
// Says a side of `blocks` blocks in bytes where it lies, if its elements are contiguous and nothing about it is
// special: what Blocks would say, for next to nothing. False: ask Blocks.
bool say_in_bytes(View& side, int blocks) noexcept;

inline View view(const Blocks& blocks, const View& given) noexcept {
  if (blocks.is_joined()) return {MPI_IN_PLACE, 0, MPI_BYTE};
  return blocks.is_set() ? View{blocks.buffer(), blocks.block_bytes(), MPI_BYTE} : given;
}

// Decides and calls. `describe(collective)`: fills in its sides, or says why not; `native(collective, request)` makes
// the library's call, as the program did where `collective` is null. `at_once(call, code)`: makes the library's call if
// nothing has to be packed and that is plain to see, for most calls are such, and they are to cost next to nothing.
template <class Describe, class Native, class AtOnce>
[[gnu::noinline]] int perform(Call call, Describe&& describe, Native&& native, AtOnce&& at_once) {
  Reason reason = obstacle(call);
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
  const bool fails = reason == Reason::kStaging && call.decides == Decides::kAll;
  const int error = fails ? raise_no_memory(call.comm) : MPI_SUCCESS;
  const int code = native(nullptr, call.request);
  return fails && code == MPI_SUCCESS ? error : code;
}

template <class Describe, class Native>
int perform(const Call& call, Describe&& describe, Native&& native) {
  return perform(call, describe, native, [](const Call&, int&) { return false; });
}

// How it sees varying blocks.
template <class Count, class Place>
struct Views {
  const void* buffer;
  const Count* counts;
  const Place* places;
  MPI_Datatype type;
};
template <class Count, class Place>
Views<Count, Place> view(Blocks& blocks, const Views<Count, Place>& given) noexcept {
  if (!blocks.is_set()) return given;
  blocks.tabulate<Count, Place>();
  return {blocks.buffer(), blocks.counts<Count>(), blocks.places<Place>(), MPI_BYTE};
}
// And individual ones.
template <class Count, class Place>
struct TypedViews {
  const void* buffer;
  const Count* counts;
  const Place* places;
  const MPI_Datatype* types;
};
template <class Count, class Place>
TypedViews<Count, Place> view(Blocks& blocks, const TypedViews<Count, Place>& given) noexcept {
  if (!blocks.is_set()) return given;
  blocks.tabulate<Count, Place>();
  return {blocks.buffer(), blocks.counts<Count>(), blocks.places<Place>(), blocks.types()};
}

// Twice what `blocks` blocks of a uniform call hold: sent and received. Or nothing that any reserve has.
inline std::int64_t both_ways(std::int64_t block_bytes, int blocks) noexcept {
  std::int64_t bytes;
  return __builtin_mul_overflow(block_bytes, std::int64_t{2} * blocks, &bytes) ? INT64_MAX : bytes;
}

}  // namespace gapless::preload

// The end of the parameters and of the arguments in each form.
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

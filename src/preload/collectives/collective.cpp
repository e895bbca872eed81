#include "preload/collectives/collective.hpp"

#include <algorithm>

#include "mpi/abi/library.hpp"
#include "mpi/staging/reserve.hpp"
#include "preload/policy/agreement.hpp"
#include "preload/stats/log.hpp"
#include "preload/transfer/transfer.hpp"

namespace gapless::preload {

namespace {

bool sends_stale_data(Procedure procedure) noexcept {
  switch (procedure) {
    case Procedure::kGather_init:
    case Procedure::kGather_init_c:
    case Procedure::kScatter_init:
    case Procedure::kScatter_init_c:
    case Procedure::kAllgather_init:
    case Procedure::kAllgather_init_c:
      return true;
    default:
      return false;
  }
}

// Of a call all of whose blocks go one way: one that might have gone through shared memory, were there more of it.
bool is_too_small(const Call& call, const Collective& collective) noexcept {
  return call.scope == DecisionScope::kAll && collective.is_packed() && may_exchange(call) &&
         (!call.members.near->voted || call.members.near->channel != nullptr);
}

}  // namespace

Reason reason_not_to_convert(Call& call) noexcept {
  if (call.comm == MPI_COMM_NULL) return Reason::kArguments;
  if (call.form != Form::kBlocking && call.request == nullptr) return Reason::kArguments;
  // It is the same on all processes of a world that agreed, for it is one of the facts.
  if (call.form != Form::kBlocking && receives_stay_native) return Reason::kCompletion;
  if (policy.persistent_sends_stale_data && sends_stale_data(call.procedure)) return Reason::kLibrary;
  if (call.scope == DecisionScope::kLocal) {
    call.members = find_members(call.comm);
    // One that is switched off takes part all the same where others may send it blocks through shared memory.
    if (!switched_on() && !may_exchange(call) && !may_meet_headers(call)) return Reason::kOff;
    return call.members.inter ? Reason::kUnproved : Reason::kNone;
  }
  const auto reason = [&] {
    if (!world_agreed()) return Reason::kUnproved;
    if (!collectives_switched_on()) return Reason::kOff;
    call.members = find_members(call.comm);
    return call.members.agreed ? Reason::kNone : Reason::kUnproved;
  }();
  if (reason == Reason::kNone || !may_meet_headers(call)) return reason;
  call.members = find_members(call.comm);
  if (call.members.inter) return reason;
  call.only_looks = reason;
  return Reason::kNone;
}

bool may_exchange(const Call& call) noexcept {
  return call.form == Form::kBlocking && call.members.near != nullptr && collectives_switched_on() &&
         pairing_switched_on();
}

bool may_meet_headers(const Call& call) noexcept {
  return call.may_bring_messages && may_bring_headers();
}

// A library without MPI_X_c may count all blocks together in an int, and there are more bytes than elements.
bool may_be_staged(std::int64_t bytes) noexcept {
  return bytes <= std::min(mpi::reserve::size(), largest_message());
}

Reason reserve(const Call& call, Collective& collective) noexcept {
  if (call.scope == DecisionScope::kAll && !may_be_staged(call.max_bytes)) return Reason::kLarge;
  return collective.reserve() ? Reason::kNone : Reason::kStaging;
}

bool rewrite_as_bytes(View& given, int blocks) noexcept {
  if (policy.force || given.buffer == MPI_IN_PLACE || given.count <= 0) return false;
  const mpi::Datatype* const facts = mpi::remembered_type(given.type);
  if (facts == nullptr || facts->plan() == nullptr || !facts->plan()->is_contiguous()) return false;
  std::int64_t bytes, all;
  if (__builtin_mul_overflow(given.count, facts->plan()->size(), &bytes) || bytes == 0 || bytes > largest_message() ||
      __builtin_mul_overflow(bytes, blocks, &all)) {
    return false;
  }
  const auto first = reinterpret_cast<std::intptr_t>(given.buffer) + facts->plan()->first_byte();
  if (first < kLowestAddress) return false;
  given = {reinterpret_cast<const void*>(first), bytes, MPI_BYTE};
  return true;
}

void count_contiguous(const Call& call, std::int64_t bytes) noexcept {
  if (logging()) log_collective(call.procedure, bytes, Reason::kNone);
  if (counting()) count_declined(call.procedure, Reason::kContiguous);
}

void count_collective(const Call& call, const Collective* collective, Reason reason) noexcept {
  if (collective != nullptr && collective->exchange.has_value()) {
    collective->exchange->count();
  } else if (collective != nullptr && counting() && is_too_small(call, *collective)) {
    count_unpaired(call.procedure, call.asks.has_value() ? Reason::kOthers : Reason::kSmall);
  }
  if (reason == Reason::kNone && !collective->is_packed()) return count_contiguous(call, collective->bytes());
  if (logging()) log_collective(call.procedure, collective == nullptr ? 0 : collective->bytes(), reason);
  if (!tallying()) return;
  if (reason != Reason::kNone) return count_declined(call.procedure, reason);
  count_accelerated(call.procedure, collective->bytes());
}

bool finish(Collective& collective) noexcept {
  if (!collective.exchange.has_value()) return true;
  if (!collective.exchange->finish()) {
    collective.error = MPI_ERR_OTHER;
  } else if (collective.exchange->differs()) {
    collective.error = MPI_ERR_TRUNCATE;
  }
  return collective.error == MPI_SUCCESS;
}

int start_and_keep(const Call& call, RequestEntry* entry, std::unique_ptr<Collective> collective, MPI_Request made,
                   int code) noexcept {
  entry->comm = call.comm;
  if (made == MPI_REQUEST_NULL) {
    // It completed at once, or never began: with messages, whatever the code, for then no process is alone.
    if (collective->messages.has_value()) {
      collective->messages->withdraw();
      collective->messages.reset();
    }
    if (code == MPI_SUCCESS && call.form == Form::kNonblocking) {
      collective->unpack();
      *call.request = made;
    }
    requests.drop(entry);
    return code;
  }
  entry->receives = entry->whole = true;
  if (call.form == Form::kPersistent) entry->make_persistent();
  entry->collective = std::move(collective);
  requests.add(made, entry);
  *call.request = made;
  return code;
}

}  // namespace gapless::preload

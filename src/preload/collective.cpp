#include "preload/collective.hpp"

#include <algorithm>

#include "mpi/library.hpp"
#include "mpi/reserve.hpp"
#include "preload/agreement.hpp"
#include "preload/log.hpp"
#include "preload/transfer.hpp"

namespace gapless::preload {

namespace {

bool is_sent_as_it_was(Procedure procedure) noexcept {
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

}  // namespace

Reason obstacle(Call& call) noexcept {
  if (call.comm == MPI_COMM_NULL) return Reason::kArguments;
  if (call.form != Form::kBlocking && call.request == nullptr) return Reason::kArguments;
  // The same on all processes of a world that agreed: it is one of the facts.
  if (call.form != Form::kBlocking && receives_stay_native) return Reason::kCompletion;
  if (rule.sends_what_was && is_sent_as_it_was(call.procedure)) return Reason::kLibrary;
  if (call.decides == Decides::kEach) {
    if (!switched_on()) return Reason::kOff;
    call.members = find_members(call.comm);
    return call.members.inter ? Reason::kUnproved : Reason::kNone;
  }
  if (!world_agreed()) return Reason::kUnproved;
  if (!collectives_switched_on()) return Reason::kOff;
  call.members = find_members(call.comm);
  return call.members.alike ? Reason::kNone : Reason::kUnproved;
}

Reason reserve(const Call& call, Collective& collective) noexcept {
  // A library without MPI_X_c may count all blocks together in an int, and bytes are more than what they make up.
  const std::int64_t most_bytes = std::min(mpi::reserve::size(), largest_message());
  if (call.decides == Decides::kAll && call.most_bytes > most_bytes) return Reason::kLarge;
  return collective.reserve() ? Reason::kNone : Reason::kStaging;
}

void count_collective(const Call& call, const Collective* collective, Reason reason) noexcept {
  if (logging()) log_collective(call.procedure, collective == nullptr ? 0 : collective->bytes(), reason);
  if (!counting()) return;
  if (reason != Reason::kNone) return count_declined(call.procedure, reason);
  if (!collective->is_staged()) return count_declined(call.procedure, Reason::kContiguous);
  count_accelerated(call.procedure, collective->bytes());
}

int raise_no_memory(MPI_Comm comm) noexcept {
  mpi::library.Comm_call_errhandler(comm, MPI_ERR_NO_MEM);
  return MPI_ERR_NO_MEM;
}

int start_and_keep(const Call& call, Pending* pending, std::unique_ptr<Collective> collective, MPI_Request made,
                   int code) noexcept {
  if (made == MPI_REQUEST_NULL) {
    // Over at once, or never begun.
    if (code == MPI_SUCCESS && call.form == Form::kNonblocking) {
      collective->unpack();
      *call.request = made;
    }
    requests.drop(pending);
    return code;
  }
  pending->receives = pending->whole = true;
  pending->persistent = call.form == Form::kPersistent;
  pending->collective = std::move(collective);
  requests.add(made, pending);
  *call.request = made;
  return code;
}

}  // namespace gapless::preload

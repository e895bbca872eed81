#include "preload/requests/request_entry.hpp"

#include <sched.h>

#include <algorithm>

namespace gapless::preload {

std::atomic<int> own_operations{0};

// If the program starts an active operation again (but for one in whose place another request is, see
// p2p/persistent.cpp), the library raises an error; packing has then written the same bytes once more, for the program
// may not have changed its buffer.
RequestEntry::State RequestEntry::start() noexcept {
  const State before = state();
  if (collective != nullptr) {
    collective->pack();
  } else if (partitions == nullptr) {
    if (!begin_round()) sent.pack();
  } else if (receives) {
    partitions->reset();
  }
  set(State::kActive);
  return before;
}

void RequestEntry::undo_start(State before) noexcept {
  sent.withdraw();
  end_round();
  set(before);
}

void RequestEntry::follow_start() noexcept {
  if (!sent.goes_through_memory()) return;
  header->request = stand_in;  // Open MPI may change that of a persistent operation when it starts
  sent.pack_paired(false);
  if (counting()) sent.count_sent();
}

// Chunks are taken anew for each round, and given back by whoever receives it.
bool RequestEntry::begin_round() noexcept {
  end_round();
  if (!header || !sent.begin_round(header->to, *header->bytes())) return false;
  stand_in = header->request;
  return true;
}

void RequestEntry::end_round() noexcept {
  if (!header) return;
  sent.end_round();
  stand_in = MPI_REQUEST_NULL;
}

bool RequestEntry::begin_delivery() const noexcept {
  State expected = State::kActive;
  return atomic_state().compare_exchange_strong(expected, State::kDelivering, std::memory_order_acquire);
}

namespace {

// While it lives, errors on a communicator call no handler. On MPI_COMM_SELF MPI_ERRORS_ARE_FATAL stays: it cannot be
// told from none, with which MPICH asks the handler of MPI_COMM_WORLD, and would not do so after one had been set.
class NoHandler {
 public:
  explicit NoHandler(MPI_Comm comm) noexcept : comm_(comm) {
    if (mpi::library.Comm_get_errhandler(comm, &handler_) != MPI_SUCCESS) return;
    const bool stays = handler_ == MPI_ERRORS_RETURN || (comm == MPI_COMM_SELF && handler_ == MPI_ERRORS_ARE_FATAL);
    is_set_ = !stays && mpi::library.Comm_set_errhandler(comm, MPI_ERRORS_RETURN) == MPI_SUCCESS;
    if (!is_set_) mpi::library.Errhandler_free(&handler_);
  }
  ~NoHandler() {
    if (!is_set_) return;
    mpi::library.Comm_set_errhandler(comm_, handler_);
    mpi::library.Errhandler_free(&handler_);
  }
  NoHandler(const NoHandler&) = delete;
  NoHandler& operator=(const NoHandler&) = delete;

 private:
  MPI_Comm comm_;
  MPI_Errhandler handler_{};
  bool is_set_ = false;
};

// The library's answer; an error is the completing call's to raise.
int get_status(MPI_Request request, int& flag, MPI_Status& status) noexcept {
  if (!policy.broken.status_raises) return mpi::library.Request_get_status(request, &flag, &status);
  const NoHandler world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  return mpi::library.Request_get_status(request, &flag, &status);
}

}  // namespace

bool RequestEntry::try_end_offer() noexcept {
  if (!sent.goes_through_memory()) return true;
  if (!begin_delivery()) return is_settled();
  const bool is_over = sent.try_end_offer();
  set(State::kActive);
  return is_over;
}

bool RequestEntry::poll(MPI_Request request) noexcept {
  if (!try_end_offer()) return false;
  // Asking for the status of a persistent request ends it in MPICH 5.0.2, so its completing call may wait for a message
  // that is being packed.
  if (!receives || persistent || !received.may_look()) return true;
  // Without a header on its way the completing call finds none, or one that has come since: then it waits for what the
  // sender is packing.
  if (!received.is_paired() && !is_any_on_its_way()) return true;
  if (!begin_delivery()) return is_settled();
  bool ready = true;
  if (!received.is_paired()) {
    MPI_Status status{};
    status.MPI_SOURCE = mpi::kUnsetSource;
    int flag = 0;
    const int code = get_status(request, flag, status);
    ready = code != MPI_SUCCESS || flag != 0;
    if (code == MPI_SUCCESS && flag != 0 && (whole || status.MPI_SOURCE != mpi::kUnsetSource)) {
      received.look_for_header(whole ? MessageBuffer::kAnyBytes : mpi::received_bytes(status));
    }
  }
  if (received.is_paired()) ready = received.pull();
  set(State::kActive);
  return ready;
}

void RequestEntry::deliver(const MPI_Status& status) noexcept {
  if (!receives || (!whole && status.MPI_SOURCE == mpi::kUnsetSource)) return;
  // Two threads may ask for the status of one request, and both may read the data when they have it. One that only
  // polls leaves them to the other.
  while (!begin_delivery()) {
    if (is_settled()) return;
    sched_yield();
  }
  std::int64_t bytes = whole ? MessageBuffer::kAnyBytes : mpi::received_bytes(status);
  if (received.look_for_header(bytes)) {
    lost_ = !received.pull_all();
  } else {
    if (partitions == nullptr && !whole) received.judge(bytes);
    unpack(whole ? received.bytes() : bytes);
  }
  set(State::kDelivered);
}

Outcome RequestEntry::end_claimed(MPI_Status& status) noexcept {
  mpi::give_status(claimed_->status, &status);
  const int error = claimed_->error;
  return error == MPI_SUCCESS ? Outcome::kDelivered : error == MPI_ERR_TRUNCATE ? Outcome::kTruncated : Outcome::kLost;
}

Outcome RequestEntry::tell(MPI_Status& status) noexcept {
  if (claimed_) return end_claimed(status);
  deliver(status);
  if (!received.is_paired()) return Outcome::kDelivered;
  mpi::set_bytes(status, received.counted_bytes());
  return paired_outcome();
}

namespace {

// Of an operation with messages of its own.
Outcome outcome_of(int code) noexcept {
  if (code == MPI_SUCCESS) return Outcome::kDelivered;
  int error_class = MPI_ERR_OTHER;
  mpi::library.Error_class(code, &error_class);
  return error_class == MPI_ERR_TRUNCATE ? Outcome::kTruncated : Outcome::kLost;
}

}  // namespace

Outcome RequestEntry::complete(MPI_Status& status, int error) noexcept {
  if (claimed_) {
    const Outcome outcome = end_claimed(status);
    claimed_.reset();
    received.forget_header();
    set(State::kInactive);
    return outcome;
  }
  if (error != MPI_SUCCESS) {
    if (has_data_after(error, status)) deliver(status);
    // Where no status is looked at, nothing more may be delivered.
    if (whole) set(State::kDelivered);
    return Outcome::kFailed;
  }
  if (cancelled && sent.goes_through_memory() && mpi::was_cancelled(status)) sent.withdraw();
  deliver(status);
  const bool broken = is_broken(status);  // only now: a header may end inside a basic type
  const Outcome of_own = collective == nullptr ? Outcome::kDelivered : outcome_of(collective->failure());
  const Outcome outcome = received.is_paired() ? end_paired(status) : broken ? Outcome::kBroken : of_own;
  end_round();
  set(State::kInactive);
  return outcome;
}

Outcome RequestEntry::paired_outcome() const noexcept {
  if (lost_) return Outcome::kLost;
  return received.paired_error() == MPI_SUCCESS ? Outcome::kDelivered : Outcome::kTruncated;
}

// The library's status is that of the header; of a persistent request for whose status the program has asked before,
// MPICH's is empty.
Outcome RequestEntry::end_paired(MPI_Status& status) noexcept {
  if (mpi::received_bytes(status) == wire::kHeaderBytes) {
    mpi::set_bytes(status, received.counted_bytes());
  }
  const Outcome outcome = paired_outcome();
  if (!persistent) return outcome;
  received.forget_header();
  lost_ = false;
  return outcome;
}

int error_class_of(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::kBroken:
      return policy.broken.error_class;
    case Outcome::kTruncated:
      return MPI_ERR_TRUNCATE;
    case Outcome::kLost:
      return MPI_ERR_OTHER;
    default:
      return MPI_SUCCESS;
  }
}

bool RequestEntry::is_broken(MPI_Status& status) const noexcept {
  if (!receives || whole || partitions != nullptr || received.is_paired() || received.path() == Path::kNative ||
      status.MPI_SOURCE == mpi::kUnsetSource)
    return false;
  std::int64_t bytes = mpi::received_bytes(status);
  if (received.judge(bytes) == MPI_SUCCESS) return false;
  mpi::set_bytes(status, bytes);
  return true;
}

bool RequestEntry::has_data_after(int code, const MPI_Status& status) const noexcept {
  if (!receives || collective != nullptr || status.MPI_SOURCE == mpi::kUnsetSource) return false;
  // If all is unpacked, the rest of the staging is the program's own data (p2p/isendrecv.cpp).
  const std::int64_t bytes = whole ? 0 : mpi::received_bytes(status);
  return (partitions != nullptr && bytes <= received.bytes()) || has_truncated_data(code, bytes, received.bytes());
}

void RequestEntry::unpack(std::int64_t received_bytes) noexcept {
  if (collective != nullptr) {
    collective->unpack();
  } else if (partitions != nullptr) {
    partitions->unpack_rest(received, received_bytes);
  } else if (received.path() != Path::kPack) {
    return;  // where the program wants it
  } else if (!persistent) {
    received.unpack(received_bytes);
  } else if (received_bytes > 0) {
    received.unpack_part(0, std::min(received_bytes, received.bytes()));
  }
}

}  // namespace gapless::preload

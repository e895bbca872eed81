// A staged operation, from the call that makes its request to the one that frees it.
#pragma once

#include <pthread.h>

#include <atomic>
#include <memory>
#include <optional>

#include "preload/requests/header_request.hpp"
#include "preload/transfer/partitions.hpp"
#include "preload/transfer/transfer.hpp"

namespace gapless::preload {

// The data of a collective operation (collectives/collective.hpp).
class CollectiveData {
 public:
  virtual ~CollectiveData() = default;
  virtual void pack() noexcept = 0;
  virtual void unpack() noexcept = 0;
  virtual std::int64_t sent_bytes() const noexcept = 0;
  // Of one whose messages are not those of the library's request: true if they have arrived; waits for them. Of any:
  // what went wrong.
  virtual bool is_own() const noexcept { return false; }
  virtual bool is_done() noexcept { return true; }
  virtual void finish() noexcept {}
  virtual int failure() const noexcept { return MPI_SUCCESS; }
};

// How many there are of those whose messages are their own (CollectiveData::is_own).
extern std::atomic<int> own_operations;

// What a completing call has done to an operation.
enum class Outcome {
  kActive,     // nothing: it has not completed
  kDelivered,  // completed, its data with the program
  kBroken,     // the same; and the message ended inside a basic type, for which the layer raises the library's error
  kTruncated,  // the same for one that came through shared memory, and is too long
  kLost,       // the same where its sender ended before it was packed
  kFailed,     // completed in error, with the data that came all the same
};
// The error that the layer raises; MPI_SUCCESS if none.
int error_class_of(Outcome outcome) noexcept;

struct RequestEntry {
  // A nonblocking operation is active as long as it has an entry. A persistent one begins inactive. Its data are
  // delivered once after each start, by the first call that reports them.
  //
  //   kInactive --start()--> kActive --deliver()--> kDelivering, kDelivered
  //       ^                                                        |
  //       +--------------------------- complete() -----------------+
  //
  // kDelivered: the request still exists, after MPI_Request_get_status, for instance. An operation without data to
  // deliver completes from kActive. One that fails stays where it is, for an error does not tell if the library is
  // still at work on the staging: so the library is asked before the staging is released (orphans.hpp), and the status
  // of a later call tells how much came: nothing if the request is inactive.
  enum class State : int { kInactive, kActive, kDelivering, kDelivered };

  Procedure procedure{};
  MessageBuffer sent, received;  // whichever is staged
  bool receives = false;
  int source = MPI_PROC_NULL, tag = 0;  // of a persistent receive
  // The library's request in place of the program's own, which is not started, or has completed (own_request.hpp): of a
  // message that a persistent receive got in place of one that the library matches, or of the header of one that a
  // persistent send sent, or a nonblocking one offers.
  MPI_Request stand_in = MPI_REQUEST_NULL;
  std::optional<HeaderRequest> header;  // of a persistent send
  std::unique_ptr<char[]> copy;         // of what is sent
  bool cancelled = false;               // MPI_Cancel was called
  bool whole = false;                   // all that was staged is unpacked, whatever the status counts
  bool persistent = false;
  MPI_Comm comm = MPI_COMM_NULL;               // the program's, for errors; it may have been freed
  std::unique_ptr<Partitions> partitions;      // packed and unpacked one by one
  std::unique_ptr<CollectiveData> collective;  // instead of the message buffers

  bool is_active() const noexcept { return state() != State::kInactive; }
  // True of a persistent receive whose data are still to come if this is the status of its completion: another thread
  // has started it since the library found it inactive.
  bool was_inactive(const MPI_Status& status) const noexcept {
    return receives && collective == nullptr && partitions == nullptr && status.MPI_SOURCE == MPI_ANY_SOURCE &&
           state() == State::kActive;
  }
  // Of a new entry.
  void make_persistent() noexcept {
    persistent = true;
    set(State::kInactive);
  }
  // Its message was claimed, and delivered with this error class, before the library's request completes.
  void set_claimed(const MPI_Status& status, int error) noexcept {
    claimed_.emplace(Claimed{status, error});
    set(State::kDelivered);
  }
  // Packs what is sent, before the library starts a persistent operation. Returns the state before.
  State start() noexcept;
  // The library did not start it.
  void undo_start(State before) noexcept;
  // It did: packs what goes through shared memory.
  void follow_start() noexcept;
  // Of a request that the program asks for without waiting: false if it has not completed, or its data are still being
  // packed by their sender, or are still offered to their receiver. Unpacks what is there. Thread-safe.
  bool poll(MPI_Request request) noexcept;
  // Of a send: true if it is not, or no longer, offered (MessageBuffer::is_offered). Thread-safe.
  bool try_end_offer() noexcept;
  // Before a call that waits: waits for messages that are not the library's request's (CollectiveData).
  void finish_own() noexcept {
    if (collective != nullptr && is_active()) collective->finish();
  }
  bool is_own() const noexcept { return collective != nullptr && collective->is_own(); }
  enum class Own { kNone, kOnItsWay, kDone };
  Own own() noexcept {
    if (!is_own() || !is_active()) return Own::kNone;
    return collective->is_done() ? Own::kDone : Own::kOnItsWay;
  }
  // Unpacks the data of this status, which the library reports as received; the request may stay. Thread-safe.
  void deliver(const MPI_Status& status) noexcept;
  // The same for a call that leaves the request as it is; the status then counts what came.
  Outcome tell(MPI_Status& status) noexcept;
  // The library has completed the operation, with `error`, and what it sends is offered no longer. Delivers its data,
  // and corrects the status of a broken one.
  Outcome complete(MPI_Status& status, int error) noexcept;

 private:
  friend class Requests;
  State state() const noexcept { return atomic_state().load(std::memory_order_acquire); }
  void set(State state) noexcept { atomic_state().store(state, std::memory_order_release); }
  // Plain reads and writes suffice but for those of several threads: no std::atomic.
  std::atomic_ref<State> atomic_state() const noexcept { return std::atomic_ref(state_); }
  // Returns true if the message of this status ends inside a basic type (MessageBuffer::judge), and corrects the
  // status.
  bool is_broken(MPI_Status& status) const noexcept;
  // True if there are data to deliver although the library returned the error `code`: of a truncated message, and of a
  // partitioned operation that received less than its size, which is an error in MPICH and Intel MPI.
  bool has_data_after(int code, const MPI_Status& status) const noexcept;
  void unpack(std::int64_t received_bytes) noexcept;
  bool begin_delivery() const noexcept;
  // True if nothing is left to deliver: an operation that another thread just polls may be active again at once.
  bool is_settled() const noexcept {
    const State now = state();
    return now == State::kDelivered || now == State::kInactive;
  }
  bool begin_round() noexcept;
  void end_round() noexcept;
  Outcome paired_outcome() const noexcept;
  Outcome end_paired(MPI_Status& status) noexcept;

  struct Claimed {
    MPI_Status status;
    int error;
  };
  Outcome end_claimed(MPI_Status& status) noexcept;

  std::optional<Claimed> claimed_;
  bool lost_ = false;  // the sender of a paired message has ended
  mutable State state_ = State::kActive;
  MPI_Request handle_{};
  RequestEntry* next_ = nullptr;
  int holds_ = 0;
  bool listed_ = false, is_in_call_ = false;  // Requests::hold_for
  pthread_t caller_{};                        // of that call
};

}  // namespace gapless::preload

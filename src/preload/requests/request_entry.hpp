// A staged operation, from the call that makes its request to the one that frees it.
#pragma once

#include <memory>

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
};

// A nonblocking operation is active as long as it has an entry. A persistent one is started (begin), completes (end),
// and may be started again. Its data are delivered once each time, by the first call that reports them.
struct RequestEntry {
  Procedure procedure{};
  MessageBuffer sent, received;  // whichever is staged
  bool receives = false;
  bool whole = false;  // all that was staged is unpacked, whatever the status counts
  bool persistent = false;
  // Of a persistent one: the library may be at work on the staging. True also where that is in doubt: then the library
  // is asked before the staging is released (orphans.hpp), and the status of an inactive request has no data.
  bool active = false;
  // kDelivered although the request still exists: after MPI_Request_get_status, for instance.
  enum Delivery : int { kNotDelivered, kDelivering, kDelivered };
  Delivery delivery = kNotDelivered;
  std::unique_ptr<Partitions> partitions;      // packed and unpacked one by one
  std::unique_ptr<CollectiveData> collective;  // instead of the message buffers

  // Packs what is sent, before the library starts a persistent operation. Returns the state before.
  struct State {
    bool active;
    Delivery delivery;
  };
  State begin() noexcept;
  // The library did not start it: restores the state before.
  void undo(State before) noexcept;

  // The program's communicator, for errors; it may have been freed.
  MPI_Comm comm = MPI_COMM_NULL;

  // Returns the error class that the library raises for the message of this status, which is corrected then
  // (MessageBuffer::judge), and keeps it in `broken`.
  int judge(MPI_Status& status) noexcept;
  int broken = MPI_SUCCESS;
  // Unpacks the data of this status, which the library reports as received; the request may stay. Thread-safe.
  void deliver(const MPI_Status& status) noexcept;
  // A persistent operation has completed: with its data, or with an error, after which data may follow.
  void end(const MPI_Status& status) noexcept;
  void fail() noexcept;
  // True if there are data to deliver although the library returned the error `code`: of a truncated message, and of a
  // partitioned operation that received less than its size, which is an error in MPICH and Intel MPI.
  bool has_data_after(int code, const MPI_Status& status) const noexcept;

  bool is_active() const noexcept { return !persistent || __atomic_load_n(&active, __ATOMIC_ACQUIRE); }

 private:
  friend class Requests;
  void set_active(bool on) noexcept { __atomic_store_n(&active, on, __ATOMIC_RELEASE); }
  void unpack(std::int64_t received_bytes) noexcept;

  MPI_Request handle_{};
  RequestEntry* next_ = nullptr;
  int holds_ = 0;
  bool listed_ = false;
};

}  // namespace gapless::preload

// One staged operation, from the call that makes its request to the one after which the request is no more.
#pragma once

#include <memory>

#include "preload/transfer/partitions.hpp"
#include "preload/transfer/transfer.hpp"

namespace gapless::preload {

// What a collective operation leaves to do (collectives/collective.hpp).
class CollectiveData {
 public:
  virtual ~CollectiveData() = default;
  virtual void pack() noexcept = 0;
  virtual void unpack() noexcept = 0;
  virtual std::int64_t sent_bytes() const noexcept = 0;
};

// A nonblocking operation is under way as long as it exists. A persistent one is started (begin), is over (end), and
// may be started again; its data are delivered once each time, by whichever call first says that they are there.
struct Pending {
  Procedure procedure{};
  MessageBuffer sent, received;  // whichever is staged
  bool receives = false;
  bool whole = false;  // all that was staged is unpacked, whatever the status says
  bool persistent = false;
  // Of a persistent one: the library may be at work on the staging. True also where that is in doubt: then the library
  // is asked before the staging goes (orphans.hpp), and the status of a request at rest has no data.
  bool active = false;
  int delivered = 0;  // 2: unpacked already, though the request still exists (MPI_Request_get_status); 1: just now
  std::unique_ptr<Partitions> partitions;      // packed and unpacked one by one
  std::unique_ptr<CollectiveData> collective;  // instead of the sides

  // Before the library starts a persistent operation: packs what is sent.
  struct Before {
    bool active;
    int delivered;
  };
  Before begin() noexcept;
  // The library did not start it: as it was before.
  void undo(Before before) noexcept;

  // The program's communicator, for errors; it may have been freed.
  MPI_Comm comm = MPI_COMM_NULL;

  // What the library would have said of the message of this status, which is corrected then (MessageBuffer::judge);
  // kept.
  int judge(MPI_Status& status) noexcept;
  int broken = MPI_SUCCESS;
  // The library says that the data of this status are there, though the request may stay. Any number of threads.
  void deliver(const MPI_Status& status) noexcept;
  // A persistent operation is over: with its data, or with an error, after which there may be data, too.
  void end(const MPI_Status& status) noexcept;
  void fail() noexcept;
  // Whether an error of the library's (`code`) leaves data that are to be delivered: what was cut off, and what arrived
  // of a partitioned operation, which MPICH and Intel MPI call an error if it is less than there is room for.
  bool has_data_after(int code, const MPI_Status& status) const noexcept;

  bool is_active() const noexcept { return !persistent || __atomic_load_n(&active, __ATOMIC_ACQUIRE); }

 private:
  friend class Requests;
  void set_active(bool on) noexcept { __atomic_store_n(&active, on, __ATOMIC_RELEASE); }
  void unpack(std::int64_t received_bytes) noexcept;

  MPI_Request handle_{};
  Pending* next_ = nullptr;
  int holds_ = 0;
  bool listed_ = false;
};

}  // namespace gapless::preload

// The table of staged nonblocking and persistent operations: from the program's request handle to the entry.
//
// The program's request is the library's own, so every procedure of the library can work with it; the table tells what
// to do when it completes: a receive is unpacked, staging is released. Four facts shape it.
//  - Handles are not unique: MPICH and Open MPI return one shared handle for all sends that complete at once. A handle
//    that is returned again proves that its previous operation has completed, so add() removes that one's entry.
//  - Handles are reused at once: between the library's completing call and a look-up in the table another thread may
//    get the same handle for a new operation. So an entry is held before the call, and there is no look-up after it;
//    and no other completing call gets it meanwhile, for MPI allows one for an operation: what that one completes has
//    no entry, or is a collective's that shares its handle.
//  - A request that is freed by a procedure that is not wrapped leaves its entry behind, with its staging, until the
//    handle comes again, or MPI is finalised.
//  - A look-up of a handle that is not in the table must cost next to nothing: a filter is read without a lock.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "preload/requests/request_entry.hpp"

namespace gapless::preload {

class Requests {
 public:
  // Makes an entry for an operation that is about to start. nullptr: no memory, and the operation must stay native.
  RequestEntry* make(Procedure procedure) noexcept;
  // The operation did not start.
  void drop(RequestEntry* entry) noexcept;
  // Puts the entry into the table under the operation's handle.
  void add(MPI_Request handle, RequestEntry* entry) noexcept;
  // Moves a held entry to another handle: Open MPI may change that of a persistent operation when it starts.
  void update_handle(RequestEntry* entry, MPI_Request handle) noexcept;

  // False if hold() would find nothing; a few instructions, no lock.
  // Who finds nothing sees what was delivered before the entry was taken away.
  bool any() const noexcept { return count_.load(std::memory_order_acquire) != 0; }
  bool may_have(MPI_Request handle) const noexcept {
    return any() && filter_[bucket(handle)].load(std::memory_order_acquire) != 0;
  }
  // Finds the entry of a handle and keeps it alive until release(); nullptr if there is none.
  RequestEntry* hold(MPI_Request handle) noexcept;
  void release(RequestEntry* entry) noexcept;
  // What the call is to do with the operation. After one that completes it the handle may be another one's, unless it
  // is persistent; after one that starts it in any case.
  enum class Use { kLooks, kCompletes, kStarts };
  struct Held {
    RequestEntry* entry;
    // Of a completing call: a collective's entry that another call is completing. The handle is another operation's by
    // now, or one that collectives of a single process share with all that completes at once: whose data must be
    // delivered before that is told.
    bool is_others;
  };
  // The same, until give_back() or finish(), for a call that uses it so. No entry of an operation that another call is
  // completing, but for a collective's. Waits for another thread that starts it, after which the handle may be another
  // one's.
  Held hold_for(Use use, MPI_Request handle) noexcept;
  void give_back(Use use, RequestEntry* entry) noexcept;
  // The operation has completed: removes the entry, and releases it.
  void finish(RequestEntry* entry) noexcept;
  // Removes a held entry from the table, to be kept elsewhere until finish().
  void take(RequestEntry* entry) noexcept;

  // Removes all entries: MPI was finalised, and no handle is valid.
  void forget_all() noexcept;

 private:
  static constexpr std::size_t kBuckets = 4096;
  static std::size_t bucket(MPI_Request handle) noexcept {
    return static_cast<std::size_t>((mpi::key_of(handle) * 0x9e3779b97f4a7c15u) >> 52);
  }
  void lock() noexcept;
  void unlock() noexcept { locked_.clear(std::memory_order_release); }
  RequestEntry* find(MPI_Request handle) const noexcept;  // with the lock held, as unlist()
  void unlist(RequestEntry* entry) noexcept;
  static bool keeps_to_itself(Use use, const RequestEntry& entry) noexcept {
    return use == Use::kStarts || (use == Use::kCompletes && !entry.persistent);
  }
  void recycle(RequestEntry* entry) noexcept;

  std::atomic_flag locked_ = ATOMIC_FLAG_INIT;  // never held across an MPI call
  std::atomic<std::int64_t> count_{0};
  std::array<std::atomic<std::int32_t>, kBuckets> filter_{};  // the number of entries in the bucket
  std::array<RequestEntry*, kBuckets> heads_{};
  RequestEntry* idle_ = nullptr;
};

extern Requests requests;

}  // namespace gapless::preload

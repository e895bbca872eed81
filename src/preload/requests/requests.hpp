// The requests of staged nonblocking and persistent operations: from the handle that the program holds to what is left
// to do.
//
// The program's request is the library's own, so every procedure of the library can work with it; this table only says
// what must happen when it completes: a receive is unpacked, staging is given back. Four facts shape it.
//  - Handles are not unique: MPICH and Open MPI return one shared handle for all sends that complete at once. A handle
//    that is returned again proves that the operation it stood for before is over, so add() lets go of that one.
//  - Handles are used again at once: between the library's completing call and our look at the table another thread may
//    get the same handle for a new operation. So an entry is held before the call, and the table is not asked after it.
//  - Whoever frees a request by a way that is not wrapped leaves an entry behind: staging that is given back when the
//    handle comes again, or when MPI is finalised.
//  - A look-up for a handle that is not here must cost next to nothing: a filter is read without a lock.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "preload/requests/pending.hpp"

namespace gapless::preload {

class Requests {
 public:
  // An entry for an operation that is about to start, or nullptr: no memory, and the operation must stay native.
  Pending* make(Procedure procedure) noexcept;
  // The operation did not start.
  void drop(Pending* pending) noexcept;
  // The operation has this handle from now on.
  void add(MPI_Request handle, Pending* pending) noexcept;
  // A held operation was started, and has this handle now: Open MPI may give a persistent one another.
  void follow(Pending* pending, MPI_Request handle) noexcept;

  // Whether hold() might find something; a few instructions, no lock.
  bool any() const noexcept { return count_.load(std::memory_order_relaxed) != 0; }
  bool may_have(MPI_Request handle) const noexcept {
    return any() && filter_[place(handle)].load(std::memory_order_relaxed) != 0;
  }
  // The entry of a handle, kept alive until let_go() or finish(); nullptr if there is none.
  Pending* hold(MPI_Request handle) noexcept;
  void let_go(Pending* pending) noexcept;
  // Ends a hold and forgets the entry: the operation is over.
  void finish(Pending* pending) noexcept;
  // Takes a held entry out of the table, to be kept elsewhere; the hold remains, and finish() ends it.
  void take(Pending* pending) noexcept;

  // All handles are dead: MPI was finalised.
  void forget_all() noexcept;

 private:
  static constexpr std::size_t kPlaces = 4096;
  static std::size_t place(MPI_Request handle) noexcept {
    return static_cast<std::size_t>((mpi::key_of(handle) * 0x9e3779b97f4a7c15u) >> 52);
  }
  void lock() noexcept;
  void unlock() noexcept { locked_.clear(std::memory_order_release); }
  void unlist(Pending* pending) noexcept;
  void recycle(Pending* pending) noexcept;

  std::atomic_flag locked_ = ATOMIC_FLAG_INIT;  // never held across an MPI call
  std::atomic<std::int64_t> count_{0};
  std::array<std::atomic<std::int32_t>, kPlaces> filter_{};  // how many entries have this place
  std::array<Pending*, kPlaces> heads_{};
  Pending* idle_ = nullptr;
};

extern Requests requests;

}  // namespace gapless::preload

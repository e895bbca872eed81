// A communicator of our own beside each of the program's that we communicate on, so that no message of ours is matched
// by a receive of the program, and none of its own by ours.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "alltoall/machine.hpp"
#include "ext/library.hpp"

namespace gapless::ext {

// The same processes in the same order, with MPI_ERRORS_RETURN. Freed when nobody has it any more: neither the
// program's communicator, of which it is an attribute, nor a persistent request; or by end_private_comms().
class PrivateComm {
 public:
  // What algorithms keep for it; goes before the communicator does.
  struct Kept {
    Kept() = default;
    virtual ~Kept() = default;
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
  };

  PrivateComm(MPI_Comm of, MPI_Comm comm, int rank, int size) : rank(rank), size(size), of_(of), comm_(comm) {}
  ~PrivateComm();
  PrivateComm(const PrivateComm&) = delete;
  PrivateComm& operator=(const PrivateComm&) = delete;

  MPI_Comm comm() const noexcept { return comm_; }
  // Where errors are raised: the program's communicator, or MPI_COMM_SELF once that is freed.
  MPI_Comm raises_on() const noexcept { return of_.load(std::memory_order_relaxed); }
  // A tag that differs from those of the other requests of this communicator, and is the same on all its processes if
  // they make their requests in one order. 0 is of calls that are no requests.
  int next_tag() noexcept { return 1 + static_cast<int>(tags_.fetch_add(1, std::memory_order_relaxed) % kTags); }
  bool is_freed() const noexcept { return comm_ == MPI_COMM_NULL; }
  void forget_program() noexcept { of_.store(MPI_COMM_SELF, std::memory_order_relaxed); }
  void free() noexcept;

  const int rank, size;
  std::unique_ptr<Kept> kept;
  std::optional<alltoall::Machine> machine;  // what all members have agreed on (machine.hpp)

 private:
  static constexpr unsigned kTags = 32767;  // what every library has (MPI_TAG_UB)
  std::atomic<MPI_Comm> of_;
  MPI_Comm comm_;
  std::atomic<unsigned> tags_{0};
};

using PrivateCommPtr = std::shared_ptr<PrivateComm>;

// The private communicator of `comm`, made at the first call for it, which is collective. MPI_SUCCESS and `found`, or
// the code of an error that was raised: no communicator, or an intercommunicator, or MPI_Finalize has begun. After
// ready(). Throws std::bad_alloc.
int private_comm(MPI_Comm comm, PrivateCommPtr& found);
// The same if it was made before, else null, which is no error. Good as long as the communicator.
int known_private_comm(MPI_Comm comm, PrivateComm*& found) noexcept;
// In MPI_Finalize, while all of MPI may still be used: frees those that still live, of the world for one, but not those
// that requests have where a session goes on. From then on nobody finds one.
void end_private_comms() noexcept;
// How many there are in this process: libraries have no more than some thousand communicators.
int count_private_comms() noexcept;

}  // namespace gapless::ext

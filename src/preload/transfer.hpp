// One side of a transfer: the user's (buffer, count, type) and how the library gets to see it.
#pragma once

#include <cstdint>

#include "mpi/abi.hpp"
#include "mpi/datatype.hpp"
#include "mpi/staging.hpp"
#include "preload/counters.hpp"
#include "preload/procedures.hpp"
#include "preload/strategy.hpp"

namespace gapless::preload {

extern Rule rule;             // of decide(); set once, before the first wrapped call
bool switched_on() noexcept;  // the run-time switch

// A call whose datatype is built in takes the library's own path at once: nothing can be gained. With GAPLESS_STATS it
// takes the long way, to be counted.
inline bool passes_by(MPI_Datatype type) noexcept {
  return mpi::is_predefined(type) && !counting();
}

// The arguments to hand to the library. Made before any byte moves; after that nothing can fail for want of anything.
class Side {
 public:
  Side(const void* buffer, int count, MPI_Datatype type) noexcept : buffer_(buffer), count_(count), type_(type) {}

  // Decides, once. `peer` and `comm` as the user gave them; without them for what stays in this process.
  void choose(Operation operation, int peer, MPI_Comm comm) noexcept;
  void choose(Operation operation) noexcept;

  bool converted() const noexcept { return path_ != Path::kNative; }
  Path path() const noexcept { return path_; }
  Reason reason() const noexcept { return reason_; }
  std::int64_t bytes() const noexcept { return bytes_; }

  // What the library sees: the user's arguments, or bytes.
  void* buffer() const noexcept;
  int count() const noexcept { return converted() ? static_cast<int>(bytes_) : count_; }
  MPI_Datatype type() const noexcept { return converted() ? MPI_PACKED : type_; }

  // Moves data between the user's buffer and what the library sees (or `packed`); nothing to do unless staged.
  void pack() noexcept;
  void unpack(std::int64_t received_bytes) noexcept;
  void pack_to(void* packed) noexcept;
  void unpack_from(const void* packed) noexcept;
  // Whether `packed`, of bytes() bytes, shares memory with the user's data. Only if converted().
  bool overlaps(const void* packed) const noexcept;

 private:
  void stay_native(Reason reason) noexcept;
  const void* buffer_;
  int count_;
  MPI_Datatype type_;
  Path path_ = Path::kNative;
  Reason reason_ = Reason::kNone;
  std::int64_t bytes_ = 0;
  const plan::Plan* plan_ = nullptr;
  mpi::DatatypePtr datatype_;  // keeps plan_ alive while the call blocks: another thread may free the type
  mpi::Staging staging_;
};

// Counts a call with one side, or with two.
void count_sides(Procedure procedure, const Side& side) noexcept;
void count_sides(Procedure procedure, const Side& a, const Side& b) noexcept;

// A status of our own under a call that receives, because two things must be known: how many bytes came, and whether
// any message came at all. The return code does not say that: where the program's error handler returns, MPICH returns
// MPI_SUCCESS. A status that the library did not touch belongs to a call that failed before it received.
class OwnStatus {
 public:
  explicit OwnStatus(MPI_Status* users) noexcept;
  MPI_Status* get() noexcept { return &own_; }
  // After the call: gives the user the status, if there is one. Returns the bytes that came; 0 if there was none.
  std::int64_t finish() noexcept;

 private:
  MPI_Status own_{};
  MPI_Status* users_;
};

// Ends a staged receive: the status first, then the data, unless the call says that it failed.
inline void finish(Side& side, OwnStatus& status, int code) noexcept {
  const std::int64_t received_bytes = status.finish();
  if (code == MPI_SUCCESS) side.unpack(received_bytes);
}

}  // namespace gapless::preload

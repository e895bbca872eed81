// One side of a transfer: the user's (buffer, count, type) and how the library gets to see it.
#pragma once

#include <climits>
#include <cstdint>

#include "mpi/abi/abi.hpp"
#include "mpi/staging/staging.hpp"
#include "mpi/types/datatype.hpp"
#include "preload/policy/strategy.hpp"
#include "preload/policy/switches.hpp"
#include "preload/procedures.hpp"
#include "preload/stats/counters.hpp"

namespace gapless::preload {

// The arguments to hand to the library. Made before any byte moves; after that nothing can fail for want of anything.
class Side {
 public:
  Side() = default;
  Side(Procedure procedure, const void* buffer, MPI_Count count, MPI_Datatype type) noexcept
      : procedure_(procedure), buffer_(buffer), count_(count), type_(type) {}

  // Decides, once. `peer` and `comm` as the user gave them; without them for what stays in this process.
  void choose(Operation operation, int peer, MPI_Comm comm) noexcept;
  void choose(Operation operation, Distance distance = Distance::kAny) noexcept;
  void stay_native(Reason reason) noexcept;

  Procedure procedure() const noexcept { return procedure_; }
  bool converted() const noexcept { return path_ != Path::kNative; }
  Path path() const noexcept { return path_; }
  Reason reason() const noexcept { return reason_; }
  std::int64_t bytes() const noexcept { return bytes_; }

  // As the program gave it, for the log.
  MPI_Count given_count() const noexcept { return count_; }
  const plan::Plan* plan() const noexcept { return plan_; }
  // What the library sees: the user's arguments, or bytes.
  void* buffer() const noexcept;
  MPI_Count count() const noexcept { return converted() ? bytes_ : count_; }
  MPI_Datatype type() const noexcept { return converted() ? MPI_PACKED : type_; }

  // Moves data between the user's buffer and what the library sees (or `packed`); nothing to do unless staged.
  void pack() noexcept;
  void unpack(std::int64_t received_bytes) noexcept;
  // `bytes` of the packed stream from `position` on, between the user's buffer and staging, which is to be used again.
  // Only if path() is kPack; for disjoint parts, several threads at a time.
  void pack_part(std::int64_t position, std::int64_t bytes) noexcept;
  void unpack_part(std::int64_t position, std::int64_t bytes) noexcept;
  // What the library would have said of a message of so many bytes: an error class, if it ends inside a basic type;
  // `received_bytes` are those of whole ones then.
  int judge(std::int64_t& received_bytes) const noexcept {
    // A whole number of elements for nearly every message.
    if (received_bytes >= bytes_ || received_bytes > policy.broken.max_bytes || plan_->is_contiguous())
      return MPI_SUCCESS;
    return judge_rest(received_bytes);
  }
  void pack_to(void* packed) noexcept;
  void unpack_from(const void* packed) noexcept;
  // Whether `packed`, of bytes() bytes, shares memory with the user's data. Only if converted().
  bool overlaps(const void* packed) const noexcept;

 private:
  bool reserve(Operation operation, std::int64_t bytes) noexcept;
  int judge_rest(std::int64_t& received_bytes) const noexcept;

  Procedure procedure_{};  // that the program called
  const void* buffer_ = nullptr;
  MPI_Count count_ = 0;
  MPI_Datatype type_{};
  Path path_ = Path::kNative;
  bool past_ = false;  // packed past the caches
  Reason reason_ = Reason::kNone;
  std::int64_t bytes_ = 0;
  const plan::Plan* plan_ = nullptr;
  mpi::DatatypePtr datatype_;  // keeps plan_ alive until the operation is over: the program may free the type
  mpi::Staging staging_;
};

// Calls MPI_X or MPI_X_c with a side's buffer, count and type, and what follows them. `large`: the program called the
// latter. A library without it has no messages above INT_MAX (decide()).
template <class Small, class Large, class... Rest>
int call(bool large, Small* small, Large* big, const Side& side, Rest... rest) {
  if (large || side.count() > INT_MAX) return big(side.buffer(), side.count(), side.type(), rest...);
  return small(side.buffer(), static_cast<int>(side.count()), side.type(), rest...);
}
// The same with two sides.
template <class Small, class Large, class... Rest>
int call_two(bool large, Small* small, Large* big, const Side& sent, int dest, int send_tag, const Side& received,
             Rest... rest) {
  if (large || sent.count() > INT_MAX || received.count() > INT_MAX) {
    return big(sent.buffer(), sent.count(), sent.type(), dest, send_tag, received.buffer(), received.count(),
               received.type(), rest...);
  }
  return small(sent.buffer(), static_cast<int>(sent.count()), sent.type(), dest, send_tag, received.buffer(),
               static_cast<int>(received.count()), received.type(), rest...);
}
template <class Count>
inline constexpr bool is_large = sizeof(Count) > sizeof(int);

// Decides for a matched receive: no communicator is given, and the message says whether it has a source.
void choose_matched(Side& side, Operation operation, const MPI_Message* message) noexcept;

// Counts and logs a call with one side, or with two, once everything is decided.
void count_sides(const Side& side) noexcept;
void count_sides(const Side& a, const Side& b) noexcept;

// The bytes of a status that the library has set; 0 if the receive was cancelled.
std::int64_t received_bytes(const MPI_Status& status) noexcept;
void set_bytes(MPI_Status& status, std::int64_t bytes) noexcept;

// A status of our own under a call that receives, because two things must be known: how many bytes came, and whether
// any message came at all. The return code does not say that: where the program's error handler returns, MPICH returns
// MPI_SUCCESS. A status that the library did not touch belongs to a call that failed before it received.
class OwnStatus {
 public:
  explicit OwnStatus(MPI_Status* users) noexcept;
  MPI_Status* get() noexcept { return &own_; }
  // After the call: the bytes that came into staging; 0 if nothing came: the call failed before it received, or the
  // receive was cancelled.
  std::int64_t bytes() const noexcept;
  // The status says so many bytes instead.
  void correct(std::int64_t bytes) noexcept { set_bytes(own_, bytes); }
  // Gives the user the status, as far as there is one.
  void give() noexcept;

 private:
  MPI_Status own_{};
  MPI_Status* users_;
};

// No rank, and none of MPI's negative constants: what a status's source is before the library sets it.
inline constexpr int kNobody = -0x47415053;

// Whether data came although the library failed with `code`: what was cut off, of which `received_bytes` are counted
// for a room of `room_bytes`. MPICH and Intel MPI count what they deliver; where they count all that was sent (MPICH,
// from a sender with a native type, beyond its eager limit), they deliver nothing. Open MPI counts all and fills the
// room.
bool has_truncated_data(int code, std::int64_t received_bytes, std::int64_t room_bytes) noexcept;

// Raises an error that the library would have raised, and returns it. `comm`: the operation's, for a call that names
// it; MPI_COMM_NULL for others.
int raise_broken(int error_class, MPI_Comm comm) noexcept;

// Ends a staged receive: the status first, then the data, unless the call says that it failed. Returns its code.
int finish(Side& side, OwnStatus& status, int code, MPI_Comm comm) noexcept;

}  // namespace gapless::preload

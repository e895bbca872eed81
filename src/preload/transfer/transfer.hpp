// The buffer of a message: the user's (buffer, count, type), and the arguments that the library gets instead.
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

// Decided before any byte moves; after that no resource can be missing. One that is packed owns its staging.
class MessageBuffer {
 public:
  MessageBuffer() = default;
  MessageBuffer(Procedure procedure, const void* buffer, MPI_Count count, MPI_Datatype type) noexcept
      : procedure_(procedure), buffer_(buffer), count_(count), type_(type) {}

  // Decides how the library gets the data; called once. `peer` and `comm`: as the user gave them; without them for a
  // call that has no peer.
  void choose_path(Operation operation, int peer, MPI_Comm comm) noexcept;
  void choose_path(Operation operation, Distance distance = Distance::kAny) noexcept;
  void stay_native(Reason reason) noexcept;

  Procedure procedure() const noexcept { return procedure_; }
  bool converted() const noexcept { return path_ != Path::kNative; }
  Path path() const noexcept { return path_; }
  Reason reason() const noexcept { return reason_; }
  std::int64_t bytes() const noexcept { return bytes_; }

  // The program's own count, for the log.
  MPI_Count given_count() const noexcept { return count_; }
  const plan::Plan* plan() const noexcept { return plan_; }
  // What the library gets: the user's arguments, or bytes.
  void* buffer() const noexcept;
  MPI_Count count() const noexcept { return converted() ? bytes_ : count_; }
  MPI_Datatype type() const noexcept { return converted() ? MPI_PACKED : type_; }

  // Move the data between the user's buffer and staging; do nothing unless path() is kPack.
  void pack() noexcept;
  void unpack(std::int64_t received_bytes) noexcept;
  // Move `bytes` bytes of the packed stream, from `position`, between the user's buffer and staging, which is to be
  // used again. Only if path() is kPack. Several threads may move disjoint parts at a time.
  void pack_part(std::int64_t position, std::int64_t bytes) noexcept;
  void unpack_part(std::int64_t position, std::int64_t bytes) noexcept;
  // Returns the error class that the library raises for a message of so many bytes if it ends inside a basic type;
  // `received_bytes` are those of whole basic types then. Else MPI_SUCCESS.
  int judge(std::int64_t& received_bytes) const noexcept {
    // Nearly every message fills the buffer.
    if (received_bytes >= bytes_ || received_bytes > policy.broken.max_bytes || plan_->is_contiguous())
      return MPI_SUCCESS;
    return judge_rest(received_bytes);
  }
  // The same between the user's buffer and `packed`, which has bytes() bytes. Only if converted().
  void pack_to(void* packed) noexcept;
  void unpack_from(const void* packed) noexcept;
  // True if `packed`, of bytes() bytes, shares memory with the user's data. Only if converted().
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

// Calls MPI_X or MPI_X_c with the message's buffer, count and type, and the arguments that follow. `large`: the program
// called MPI_X_c. For a library without it decide() leaves no count above INT_MAX.
template <class Small, class Large, class... Rest>
int call(bool large, Small* small, Large* big, const MessageBuffer& data, Rest... rest) {
  if (large || data.count() > INT_MAX) return big(data.buffer(), data.count(), data.type(), rest...);
  return small(data.buffer(), static_cast<int>(data.count()), data.type(), rest...);
}
// The same with a sent and a received message.
template <class Small, class Large, class... Rest>
int call_two(bool large, Small* small, Large* big, const MessageBuffer& sent, int dest, int send_tag,
             const MessageBuffer& received, Rest... rest) {
  if (large || sent.count() > INT_MAX || received.count() > INT_MAX) {
    return big(sent.buffer(), sent.count(), sent.type(), dest, send_tag, received.buffer(), received.count(),
               received.type(), rest...);
  }
  return small(sent.buffer(), static_cast<int>(sent.count()), sent.type(), dest, send_tag, received.buffer(),
               static_cast<int>(received.count()), received.type(), rest...);
}
template <class Count>
inline constexpr bool is_large = sizeof(Count) > sizeof(int);

// Decides for a matched receive, which has no communicator; the message handle tells if there is a source.
void choose_path_of_matched(MessageBuffer& data, Operation operation, const MPI_Message* message) noexcept;

// Count and log a call with one message, or with two, once everything is decided.
void count_transfer(const MessageBuffer& data) noexcept;
void count_transfer(const MessageBuffer& a, const MessageBuffer& b) noexcept;

// Returns the bytes of a status that the library has set; 0 if the receive was cancelled.
std::int64_t received_bytes(const MPI_Status& status) noexcept;
void set_bytes(MPI_Status& status, std::int64_t bytes) noexcept;

// A status of our own for a call that receives, because two things must be known: how many bytes came, and if a message
// came at all. The return code does not tell: where the program's error handler returns, MPICH returns MPI_SUCCESS. A
// status that the library did not set belongs to a call that failed before it received.
class OwnStatus {
 public:
  explicit OwnStatus(MPI_Status* users) noexcept;
  MPI_Status* get() noexcept { return &own_; }
  // After the call: the bytes that came into staging; 0 if the call failed before it received, or the receive was
  // cancelled.
  std::int64_t bytes() const noexcept;
  // Sets the status to so many bytes.
  void correct(std::int64_t bytes) noexcept { set_bytes(own_, bytes); }
  // Copies the status to the user's, unless that is MPI_STATUS_IGNORE.
  void give() noexcept;

 private:
  MPI_Status own_{};
  MPI_Status* users_;
};

// The source of a status that the library has not set: no rank, and none of MPI's negative constants.
inline constexpr int kUnsetSource = -0x47415053;

// True if data came although the library failed with `code`: a truncated message, of which the status counts
// `received_bytes`, for a buffer of `room_bytes`. MPICH and Intel MPI count what they deliver; where they count all
// that was sent (MPICH, from a sender with a native type, beyond its eager limit), they deliver nothing. Open MPI
// counts all and fills the buffer.
bool has_truncated_data(int code, std::int64_t received_bytes, std::int64_t room_bytes) noexcept;

// Raises an error of this class as the library would, and returns it. `comm`: the call's argument; MPI_COMM_NULL if it
// has none.
int raise_error(int error_class, MPI_Comm comm) noexcept;

// Ends a staged receive: the status first, then the data, unless the call says that it failed. Returns its code.
int finish(MessageBuffer& data, OwnStatus& status, int code, MPI_Comm comm) noexcept;

}  // namespace gapless::preload

// The buffer of a message: the user's (buffer, count, type), and the arguments that the library gets instead.
#pragma once

#include <climits>
#include <cstdint>
#include <memory>
#include <optional>

#include "mpi/abi/abi.hpp"
#include "mpi/abi/status.hpp"
#include "mpi/staging/staging.hpp"
#include "mpi/types/datatype.hpp"
#include "preload/paired/acceptance.hpp"
#include "preload/paired/callers.hpp"
#include "preload/paired/receiver.hpp"
#include "preload/paired/sender.hpp"
#include "preload/paired/ways.hpp"
#include "preload/policy/strategy.hpp"
#include "preload/policy/switches.hpp"
#include "preload/procedures.hpp"
#include "preload/stats/counters.hpp"
#include "preload/transfer/two_pieces.hpp"
#include "preload/transfer/undecoded.hpp"

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
  // The same for a message that is sent, and may go through shared memory.
  void choose_send_path(Operation operation, int dest, MPI_Comm comm, May may) noexcept;
  // The same for one that is received: whatever goes through shared memory can come.
  void choose_receive_path(Operation operation, int source, MPI_Comm comm) noexcept;
  void stay_native(Reason reason) noexcept;
  // There is no entry for it (requests/start.hpp).
  void stay_without_entry(Reason reason) noexcept;

  // The program's arguments again, undecided.
  MessageBuffer as_given() const noexcept { return {procedure_, buffer_, count_, type_}; }

  Procedure procedure() const noexcept { return procedure_; }
  bool converted() const noexcept { return path_ != Path::kNative; }
  Path path() const noexcept { return path_; }
  Reason reason() const noexcept { return reason_; }
  std::int64_t bytes() const noexcept { return bytes_; }

  // What the program gave.
  MPI_Count given_count() const noexcept { return count_; }
  MPI_Datatype given_type() const noexcept { return type_; }
  const plan::Plan* plan() const noexcept { return plan_; }
  const mpi::DatatypePtr& datatype() const noexcept { return datatype_; }
  // Packed past the caches.
  bool is_past() const noexcept { return past_; }
  // Instead of a decision: what came is packed in `packed`, which has room for `bytes` bytes, those of the buffer.
  void take_packed(const mpi::DatatypePtr& datatype, std::int64_t bytes, char* packed) noexcept {
    path_ = Path::kPack;
    bytes_ = bytes;
    datatype_ = datatype;
    plan_ = datatype->plan();
    looks_ = bytes >= wire::kHeaderBytes && headers_may_come();
    staging_.borrow(packed);
  }
  // What the library gets: the user's arguments, bytes, or a header.
  void* buffer() const noexcept;
  MPI_Count count() const noexcept {
    if (pieces_.is_described()) return 1;
    return path_ == Path::kPaired ? wire::kHeaderBytes : converted() ? bytes_ : count_;
  }
  MPI_Datatype type() const noexcept {
    if (pieces_.is_described()) return pieces_.type();
    return converted() ? MPI_PACKED : type_;
  }
  // To be called when the library has the message.
  void forget_pieces() noexcept { pieces_.forget(); }
  bool is_split() const noexcept { return is_split_; }

  // True if something is to be done when the library has completed a receive, or, after the call that starts a
  // nonblocking operation, until it has.
  bool has_end() const noexcept {
    return path_ == Path::kPack || path_ == Path::kPaired || looks_ || unchecked_.is_held();
  }

  // Of a message that was sent through shared memory, when the library has its header: packs it, with `patience` into
  // warm chunks rather. Does nothing on other paths, and with one that is offered until its operation completes.
  void pack_paired(bool patience) noexcept;
  // True of such a one: its receiver may copy it, or will find it packed.
  bool is_offered() const noexcept {
    return offers_ == Settles::kAtCompletion && outgoing_ != nullptr && outgoing_->is_offered();
  }
  // What completes the operation: waits for a receiver that copies it, and a while for one to begin; then packs it. Or
  // waits for nobody, and returns false if it is still offered.
  void end_offer() noexcept {
    wire::Patience rest;
    end_offer(rest);
  }
  void end_offer(wire::Patience& rest) noexcept;  // one for several: who copies one of them copies the next one then
  bool try_end_offer() noexcept;
  // Packs it now, if nobody has begun.
  void take_back_offer() noexcept;
  // Of a persistent send: the number of a receiver on this node that may get it through shared memory, or -1; the
  // rounds that do not are then packed into staging. And one round that does, with a copy of its header; false: it does
  // not.
  int prepare_rounds(int dest, MPI_Comm comm, May may) noexcept;
  bool begin_round(int number, wire::Header& header) noexcept;
  void end_round() noexcept { outgoing_.reset(); }
  bool goes_through_memory() const noexcept { return outgoing_ != nullptr; }
  // Its header did not go.
  void withdraw() noexcept {
    if (outgoing_ != nullptr) outgoing_->withdraw();
    outgoing_.reset();
  }

  // Of a receive, when the library has brought `received_bytes` bytes; kAnyBytes if it does not tell. True if that is a
  // header, or one was found before: then the message is unpacked by pull(), and has paired_bytes() bytes.
  static constexpr std::int64_t kAnyBytes = -1;
  bool look_for_header(std::int64_t received_bytes) noexcept {
    return is_paired() || (looks_ && read_header(received_bytes));
  }
  // Of a receive on whatever path, for which a message was claimed (paired/claims.hpp): reads its type, of which it may
  // have less room than a header has.
  void describe() noexcept;
  // All its data, packed; nullptr if there are none, or no memory. Whatever the path.
  std::unique_ptr<char[]> packed_copy() noexcept;
  // And a message that comes through shared memory, to be pulled; or bytes of one that does not, to be unpacked.
  void begin_pull(const PairedReceive& claimed) noexcept;
  void unpack_part_of(const char* packed, std::int64_t bytes) noexcept;
  bool may_look() const noexcept { return looks_; }
  bool is_paired() const noexcept { return incoming_.has_value(); }
  std::int64_t paired_bytes() const noexcept { return incoming_->bytes(); }
  // Unpacks what is there. Returns true if nothing is left.
  bool pull() noexcept;
  // Unpacks all. Returns false if the sender has ended.
  bool pull_all() noexcept;
  // It was delivered: a persistent receive may bring another one.
  void forget_header() noexcept { incoming_.reset(); }
  // Counts and logs the paired message that was sent, if it was.
  void count_sent() const noexcept;
  // What its status counts.
  std::int64_t counted_bytes() const noexcept { return policy.broken.counted(paired_bytes(), bytes_); }
  // The error class of a paired message: MPI_SUCCESS, or that of one that is too long.
  int paired_error() const noexcept { return paired_bytes() > bytes_ ? MPI_ERR_TRUNCATE : MPI_SUCCESS; }

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
    if (path_ != Path::kPack || plan_ == nullptr || received_bytes >= bytes_ ||
        received_bytes > policy.broken.max_bytes || plan_->is_contiguous())
      return MPI_SUCCESS;
    return judge_rest(received_bytes);
  }
  // The same between the user's buffer and `packed`, which has bytes() bytes. Only if converted().
  void pack_to(void* packed) noexcept;
  void unpack_from(const void* packed) noexcept;
  // True if `packed`, of bytes() bytes, shares memory with the user's data. Only if converted().
  bool overlaps(const void* packed) const noexcept;

 private:
  // Leaves a message to a library that would cut it (Policy::cuts_packed): the receiver may be left to the library.
  void keep_uncut(Operation operation, int peer, MPI_Comm comm) noexcept;
  // Decides; the memory for it comes afterwards.
  void decide_path(Operation operation, Distance distance) noexcept;
  bool is_reachable() noexcept;
  void stage(Operation operation) noexcept;
  void split(Distance distance) noexcept;
  bool pair_with(wire::Sending sending, int dest, MPI_Comm comm) noexcept;
  bool is_worth_pairing(wire::Sending sending) const noexcept;
  int receiver_on_node(wire::Sending sending, int dest, MPI_Comm comm) noexcept;
  bool begin_sending(int number, wire::Sending sending) noexcept;
  bool may_gain() const noexcept;
  void stage_small(Operation operation) noexcept;
  void look_out(Operation operation, Distance distance) noexcept;
  bool can_gather_header() noexcept;
  bool expects_header() const noexcept;
  bool stage_undecoded(Operation operation) noexcept;
  void receive_undecoded(Operation operation) noexcept;
  bool lacks_memory() const noexcept;
  bool learn_type() const noexcept;
  bool begin_pull() noexcept;
  bool read_header(std::int64_t received_bytes) noexcept;
  std::optional<wire::Buffer> origin_of(int number) noexcept;
  void help_receiver() noexcept;
  void pack_unless_copied(wire::Offer found, bool patience) noexcept;
  void take_offered() noexcept;
  void count_received() const noexcept;
  void unpack_pulled(std::int64_t position, const char* from, std::int64_t bytes) noexcept;
  void pack_chunk(std::int64_t position, char* to, std::int64_t bytes) noexcept;
  bool reserve(Operation operation, std::int64_t bytes) noexcept;
  int judge_rest(std::int64_t& received_bytes) const noexcept;

  Procedure procedure_{};  // that the program called
  const void* buffer_ = nullptr;
  MPI_Count count_ = 0;
  MPI_Datatype type_{};
  Path path_ = Path::kNative;
  bool past_ = false;          // packed past the caches
  bool is_from_near_ = false;  // of a receive that the rules leave to the library, and in whose place a header may come
  Reason reason_ = Reason::kNone;
  std::int64_t bytes_ = 0;
  const plan::Plan* plan_ = nullptr;
  mpi::DatatypePtr datatype_;  // keeps plan_ alive until the operation is over: the program may free the type
  mpi::Staging staging_;
  bool is_split_ = false;                  // packed, as two pieces
  TwoPieces pieces_;                       // which until the library has them
  Undecoded undecoded_;                    // of Path::kPack without a plan
  std::optional<Settles> offers_;          // if it goes through shared memory: it may be offered to its receiver
  bool looks_ = false;                     // at what came, for a header
  Unchecked unchecked_;                    // and if not although some come
  std::unique_ptr<PairedSend> outgoing_;   // of Path::kPaired
  std::optional<PairedReceive> incoming_;  // whose header came
};

// Calls MPI_X or MPI_X_c with the message's buffer, count and type, and the arguments that follow. `large`: the program
// called MPI_X_c. For a library without it decide() leaves no count above INT_MAX.
template <class Small, class Large, class... Rest>
int call(bool large, Small* small, Large* big, MessageBuffer& data, Rest... rest) {
  const int code = large || data.count() > INT_MAX
                       ? big(data.buffer(), data.count(), data.type(), rest...)
                       : small(data.buffer(), static_cast<int>(data.count()), data.type(), rest...);
  data.forget_pieces();
  return code;
}
// The same with a sent and a received message.
template <class Small, class Large, class... Rest>
int call_two(bool large, Small* small, Large* big, MessageBuffer& sent, int dest, int send_tag,
             const MessageBuffer& received, Rest... rest) {
  const int code = large || sent.count() > INT_MAX || received.count() > INT_MAX
                       ? big(sent.buffer(), sent.count(), sent.type(), dest, send_tag, received.buffer(),
                             received.count(), received.type(), rest...)
                       : small(sent.buffer(), static_cast<int>(sent.count()), sent.type(), dest, send_tag,
                               received.buffer(), static_cast<int>(received.count()), received.type(), rest...);
  sent.forget_pieces();
  return code;
}
// True if a receive goes to the library at once: also if what comes may be a header, for which it has no room.
inline bool receive_takes_fast_path(MPI_Count count, MPI_Datatype type) noexcept {
  constexpr MPI_Count kLongestBasicType = 32;
  return takes_fast_path(type) && (count < wire::kHeaderBytes / kLongestBasicType || !headers_may_come());
}

template <class Count>
inline constexpr bool is_large = sizeof(Count) > sizeof(int);

// Decides for a matched receive, which has no communicator; the message handle tells if there is a source.
void choose_path_of_matched(MessageBuffer& data, Operation operation, const MPI_Message* message) noexcept;

// Count and log a call with one message, or with two, once everything is decided.
void count_transfer(const MessageBuffer& data) noexcept;
void count_transfer(const MessageBuffer& a, const MessageBuffer& b) noexcept;

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
  void correct(std::int64_t bytes) noexcept { mpi::set_bytes(own_, bytes); }
  // Copies the status to the user's, unless that is MPI_STATUS_IGNORE.
  void give() noexcept;

 private:
  MPI_Status own_{};
  MPI_Status* users_;
};

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

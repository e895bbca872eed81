#include "preload/transfer/transfer.hpp"

#include <algorithm>

#include "layout/signature.hpp"
#include "move/move.hpp"
#include "move/overlap.hpp"
#include "move/past.hpp"
#include "mpi/abi/library.hpp"
#include "mpi/staging/host_memory.hpp"
#include "preload/policy/distance.hpp"
#include "preload/stats/log.hpp"

namespace gapless::preload {

namespace {

std::int64_t lowest_byte(const plan::Plan& plan) noexcept {
  const normal::Form& form = plan.form();
  return form.node == nullptr ? 0 : form.offset + form.node->low;
}

// A request that is started any number of times.
bool is_lasting(Procedure procedure) noexcept {
  switch (procedure) {
    case Procedure::kSend_init:
    case Procedure::kBsend_init:
    case Procedure::kSsend_init:
    case Procedure::kRsend_init:
    case Procedure::kRecv_init:
    case Procedure::kPsend_init:
    case Procedure::kPrecv_init:
      return true;
    default:
      return false;
  }
}

void log_transfer(const MessageBuffer& data) noexcept {
  log_decision(data.procedure(), data.given_count(), data.plan(), data.path(), data.reason(), data.is_split());
}

}  // namespace

void MessageBuffer::stay_native(Reason reason) noexcept {
  path_ = Path::kNative;
  reason_ = reason;
  staging_.contained();
  is_split_ = false;
  forget_pieces();
  withdraw();
}

void MessageBuffer::choose_path(Operation operation, int peer, MPI_Comm comm) noexcept {
  if (mpi::is_contiguous_builtin(type_) && !policy.force) return stay_native(Reason::kContiguous);
  if (peer == MPI_PROC_NULL) return stay_native(Reason::kProcNull);
  if (comm == MPI_COMM_NULL) return stay_native(Reason::kArguments);
  choose_path(operation, distance_to(peer, comm));
  keep_uncut(operation, peer, comm);
}

void MessageBuffer::keep_uncut(Operation operation, int peer, MPI_Comm comm) noexcept {
  // A cell of the queues has 8192 bytes, header included: 31 bytes (MPICH 5.0.2), taken for no more than 64.
  constexpr std::int64_t kShortestCut = 8192 - 64, kLongestShort = 8192;
  const bool sends = operation == Operation::kSend || operation == Operation::kIsend;
  if (!policy.cuts_packed || !sends || path_ != Path::kPack || bytes_ < kShortestCut || datatype_->has_one_basic_type())
    return;
  if (bytes_ <= kLongestShort) return stay_native(Reason::kLibrary);
  int rank = MPI_PROC_NULL, is_other_group = 0;
  mpi::library.Comm_rank(comm, &rank);
  if (rank != peer) return;
  mpi::library.Comm_test_inter(comm, &is_other_group);
  if (is_other_group == 0) stay_native(Reason::kLibrary);
}

void MessageBuffer::choose_path(Operation operation, Distance distance) noexcept {
  if (mpi::is_contiguous_builtin(type_) && !policy.force) return stay_native(Reason::kContiguous);
  if (!switched_on()) return stay_native(Reason::kOff);
  decide_path(operation, distance);
  stage(operation);
}

void MessageBuffer::decide_path(Operation operation, Distance distance) noexcept {
  if (count_ <= 0) return stay_native(count_ == 0 ? Reason::kZero : Reason::kArguments);
  // Looking up what a type consists of costs as much as packing so small a message may gain; a program that makes a
  // type for each message would pay it each time (`gapless bench programs --program scalapack-lu`).
  mpi::FirstUse first{.count = count_, .below = wire::kHeaderBytes};
  const bool may_pass = !policy.force && !policy.limited && !is_lasting(procedure_);
  datatype_ = mpi::find_type(type_, policy.force, may_pass ? &first : nullptr);
  if (datatype_ == nullptr) return stay_native(first.is_passed ? Reason::kFirst : Reason::kUnregistered);
  plan_ = datatype_->plan();
  if (plan_ == nullptr) return stay_native(Reason::kCombiner);
  plan_->prepare(count_);
  const Decision decision = decide(policy, *datatype_, count_, operation, distance, largest_message());
  bytes_ = decision.bytes;
  past_ = decision.past || switched_past();
  if (decision.path == Path::kNative) return stay_native(decision.reason);
  path_ = decision.path;
  is_reachable();
}

// False, and the message is the library's, if the data cannot be read and written from here.
bool MessageBuffer::is_reachable() noexcept {
  Reason reason = Reason::kNone;
  if (buffer_ == MPI_BOTTOM && lowest_byte(*plan_) < kLowestAddress) reason = Reason::kBuffer;
  // Absolute addresses may name memory of both kinds.
  if (buffer_ == MPI_BOTTOM && mpi::has_gpu_runtime() && reason == Reason::kNone) reason = Reason::kDevice;
  if (reason == Reason::kNone && !mpi::is_host(static_cast<const char*>(buffer_) + plan_->first_byte())) {
    reason = Reason::kDevice;
  }
  if (reason != Reason::kNone) stay_native(reason);
  return reason == Reason::kNone;
}

void MessageBuffer::stage(Operation operation) noexcept {
  const bool staged = operation != Operation::kPack && operation != Operation::kUnpack;
  const std::int64_t bytes = is_split_ ? bytes_ + TwoPieces::kGap : bytes_;
  if (path_ == Path::kPack && staged && !reserve(operation, bytes)) stay_native(Reason::kStaging);
}

// Of a message that is sent, before it is staged.
void MessageBuffer::split(Distance distance) noexcept {
  is_split_ =
      path_ == Path::kPack && distance == Distance::kNear && policy.rules.split.has(bytes_) && pieces_.describe(bytes_);
}

bool MessageBuffer::reserve(Operation operation, std::int64_t bytes) noexcept {
  const bool receives = operation == Operation::kReceive || operation == Operation::kIreceive;
  // Writing lines that a peer's core has read is expensive: what is sent past the caches has buffers that no receive
  // uses.
  if (past_ && !receives) {
    if (mpi::kTruncationOverruns || !staging_.reserve_isolated(bytes)) return staging_.reserve(bytes);
    staging_.contained();
    return true;
  }
  if (!mpi::kTruncationOverruns) return staging_.reserve(bytes);
  // Sends, too, though they need not: so that what goes out and what comes in share the buffer that is warm.
  if (!staging_.reserve_isolated(bytes)) return !receives && staging_.reserve(bytes);
  if (!receives) staging_.contained();
  return true;
}

void choose_path_of_matched(MessageBuffer& data, Operation operation, const MPI_Message* message) noexcept {
  const bool real = message != nullptr && *message != MPI_MESSAGE_NULL && *message != MPI_MESSAGE_NO_PROC;
  data.choose_path(operation, real ? 0 : MPI_PROC_NULL, MPI_COMM_SELF);
}

void* MessageBuffer::buffer() const noexcept {
  if (path_ == Path::kPaired) return outgoing_->header();
  if (path_ == Path::kPack) return staging_.data();
  const auto address = reinterpret_cast<std::uintptr_t>(buffer_);
  const std::uintptr_t offset = path_ == Path::kInPlace ? static_cast<std::uintptr_t>(plan_->first_byte()) : 0;
  return reinterpret_cast<void*>(address + offset);
}

void MessageBuffer::pack() noexcept {
  if (path_ != Path::kPack) return;
  if (past_) {
    timed(procedure_, true, [&] { move::pack_past(*plan_, count_, buffer_, 0, staging_.data(), bytes_); });
  } else {
    pack_to(staging_.data());
  }
  if (is_split_) TwoPieces::part(static_cast<char*>(staging_.data()), bytes_);
}

void MessageBuffer::unpack(std::int64_t received_bytes) noexcept {
  if (path_ != Path::kPack) return;
  if (received_bytes <= bytes_) staging_.contained();
  if (received_bytes <= 0) return;
  if (received_bytes >= bytes_) return unpack_from(staging_.data());
  unpack_part(0, received_bytes);
}

int MessageBuffer::judge_rest(std::int64_t& received_bytes) const noexcept {
  const std::int64_t rest = received_bytes % plan_->size();
  if (rest == 0) return MPI_SUCCESS;
  const layout::Layout& type = *datatype_->layout();
  const std::int64_t whole = layout::whole_basics(type, rest);
  if (whole == rest || (!policy.broken.checks_mixed && !datatype_->has_one_basic_type())) return MPI_SUCCESS;
  received_bytes += whole - rest;
  return policy.broken.error_class;
}

void MessageBuffer::pack_part(std::int64_t position, std::int64_t bytes) noexcept {
  char* const to = static_cast<char*>(staging_.data()) + position;
  timed(procedure_, true, [&] { move::pack(*plan_, count_, buffer_, position, to, bytes); });
}

// Does not call Staging::contained: another message may overrun the staging, or has done so before.
void MessageBuffer::unpack_part(std::int64_t position, std::int64_t bytes) noexcept {
  const char* const from = static_cast<const char*>(staging_.data()) + position;
  if (plan_ == nullptr) return undecoded_.unpack(const_cast<void*>(buffer_), count_, from, bytes);
  timed(procedure_, false, [&] { move::unpack(*plan_, count_, const_cast<void*>(buffer_), position, from, bytes); });
}

void MessageBuffer::pack_to(void* packed) noexcept {
  if (plan_ == nullptr) return undecoded_.pack(buffer_, count_, packed, bytes_);
  timed(procedure_, true, [&] { move::pack_all(*plan_, count_, buffer_, packed); });
}

void MessageBuffer::unpack_from(const void* packed) noexcept {
  if (plan_ == nullptr) return undecoded_.unpack(const_cast<void*>(buffer_), count_, packed, bytes_);
  timed(procedure_, false, [&] { move::unpack_all(*plan_, count_, const_cast<void*>(buffer_), packed); });
}

bool MessageBuffer::overlaps(const void* packed) const noexcept {
  return move::overlap(*plan_, count_, buffer_, packed, bytes_);
}

void count_transfer(const MessageBuffer& data) noexcept {
  if (logging()) log_transfer(data);
  if (!tallying()) return;
  if (counting()) data.count_sent();
  if (data.converted()) return count_accelerated(data.procedure(), data.bytes());
  count_declined(data.procedure(), data.reason());
}

void count_transfer(const MessageBuffer& a, const MessageBuffer& b) noexcept {
  for (const MessageBuffer* data : {&a, &b}) {
    if (logging()) log_transfer(*data);
  }
  if (!tallying()) return;
  if (counting()) {
    a.count_sent();
    b.count_sent();
  }
  if (a.converted() || b.converted()) {
    const std::int64_t bytes = (a.converted() ? a.bytes() : 0) + (b.converted() ? b.bytes() : 0);
    return count_accelerated(a.procedure(), bytes);
  }
  // Of two reasons, count the one that is more than nothing to gain.
  const bool a_gains_nothing = a.reason() == Reason::kContiguous || a.reason() == Reason::kProcNull;
  count_declined(a.procedure(), a_gains_nothing ? b.reason() : a.reason());
}

OwnStatus::OwnStatus(MPI_Status* users) noexcept : users_(users) {
  // The library does not set all fields (MPI_ERROR only where several requests are completed): the others stay as they
  // were.
  if (users != MPI_STATUS_IGNORE) own_ = *users;
  own_.MPI_SOURCE = mpi::kUnsetSource;
}

std::int64_t OwnStatus::bytes() const noexcept {
  return own_.MPI_SOURCE == mpi::kUnsetSource ? 0 : mpi::received_bytes(own_);
}

void OwnStatus::give() noexcept {
  if (users_ == MPI_STATUS_IGNORE) return;
  if (own_.MPI_SOURCE == mpi::kUnsetSource) own_.MPI_SOURCE = users_->MPI_SOURCE;
  *users_ = own_;
}

bool has_truncated_data(int code, std::int64_t received_bytes, std::int64_t room_bytes) noexcept {
  int error_class = MPI_SUCCESS;
  return (mpi::kTruncationOverruns || received_bytes <= room_bytes) && code != MPI_SUCCESS &&
         mpi::library.Error_class(code, &error_class) == MPI_SUCCESS && error_class == MPI_ERR_TRUNCATE;
}

namespace {

bool has_other_handler(MPI_Comm comm, MPI_Errhandler than) noexcept {
  MPI_Errhandler handler{};
  if (mpi::library.Comm_get_errhandler(comm, &handler) != MPI_SUCCESS) return false;
  const bool is_other = handler != than;
  mpi::library.Errhandler_free(&handler);
  return is_other;
}

// Whose handler an error of no communicator goes to: that of MPI_COMM_SELF, or where the program gave it none, that
// of MPI_COMM_WORLD (MPICH 5.0.2).
MPI_Comm comm_of_none() noexcept {
  const bool is_self = !policy.broken.through_world && has_other_handler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  return is_self ? MPI_COMM_SELF : MPI_COMM_WORLD;
}

}  // namespace

int raise_error(int error_class, MPI_Comm comm) noexcept {
  if (comm == MPI_COMM_NULL) comm = comm_of_none();
  mpi::library.Comm_call_errhandler(comm, error_class);
  const bool is_handled = policy.broken.handled_is_success && has_other_handler(comm, MPI_ERRORS_RETURN);
  return is_handled ? MPI_SUCCESS : error_class;
}

namespace {

int finish_paired(MessageBuffer& data, OwnStatus& status, MPI_Comm comm) noexcept {
  const int error = data.pull_all() ? data.paired_error() : MPI_ERR_OTHER;
  status.correct(data.counted_bytes());
  status.give();
  return error == MPI_SUCCESS ? error : raise_error(error, comm);
}

}  // namespace

int finish(MessageBuffer& data, OwnStatus& status, int code, MPI_Comm comm) noexcept {
  std::int64_t bytes = status.bytes();
  if (code == MPI_SUCCESS && data.look_for_header(bytes)) return finish_paired(data, status, comm);
  const int error = code == MPI_SUCCESS ? data.judge(bytes) : MPI_SUCCESS;
  if (error != MPI_SUCCESS) status.correct(bytes);
  status.give();
  if (code == MPI_SUCCESS || has_truncated_data(code, bytes, data.bytes())) data.unpack(bytes);
  return error == MPI_SUCCESS ? code : raise_error(error, comm);
}

}  // namespace gapless::preload

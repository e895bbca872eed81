// What of a message's buffer concerns shared memory: when it goes that way, and how its data get in and out.
#include <algorithm>
#include <cstring>
#include <new>

#include "layout/signature.hpp"
#include "move/move.hpp"
#include "move/past.hpp"
#include "preload/paired/layouts.hpp"
#include "preload/paired/pull.hpp"
#include "preload/paired/ways.hpp"
#include "preload/policy/agreement.hpp"
#include "preload/policy/distance.hpp"
#include "preload/policy/members.hpp"
#include "preload/policy/own_comm.hpp"
#include "preload/stats/log.hpp"
#include "preload/stats/peers.hpp"
#include "preload/transfer/transfer.hpp"

namespace gapless::preload {

namespace {

wire::Sending sending_of(Operation operation) noexcept {
  return operation == Operation::kIsend ? wire::Sending::kAmongOthers : wire::Sending::kAlone;
}

std::optional<Settles> offers_of(May may) noexcept {
  if (may == May::kPair) return Settles::kInCall;
  if (may == May::kPairLater) return Settles::kAtCompletion;
  return std::nullopt;
}

}  // namespace

void MessageBuffer::choose_send_path(Operation operation, int dest, MPI_Comm comm, May may) noexcept {
  if (mpi::is_contiguous_builtin(type_) && !policy.force) return stay_native(Reason::kContiguous);
  if (dest == MPI_PROC_NULL) return stay_native(Reason::kProcNull);
  if (comm == MPI_COMM_NULL) return stay_native(Reason::kArguments);
  if (!switched_on()) return stay_native(Reason::kOff);
  const Distance distance = distance_to(dest, comm);
  decide_path(operation, distance);
  if (may != May::kNotPair) {
    // Who asks by a procedure that the layer does not see would take it for complete.
    const bool may_settle_later = !receives_stay_native && !completion_looked_up();
    offers_ = may == May::kPairLater && !may_settle_later ? std::nullopt : offers_of(may);
    if (may_gain() && pair_with(sending_of(operation), dest, comm)) return;
  }
  split(distance);
  stage(operation);
  keep_uncut(operation, dest, comm);
}

// The rules compare packing with the library's own way; shared memory is faster than both.
bool MessageBuffer::may_gain() const noexcept {
  return path_ == Path::kPack || (reason_ == Reason::kSmall && !policy.limited);
}

void MessageBuffer::stage_small(Operation operation) noexcept {
  if (reason_ != Reason::kSmall || !is_reachable()) return;
  path_ = Path::kPack;
  stage(operation);
}

bool MessageBuffer::pair_with(wire::Sending sending, int dest, MPI_Comm comm) noexcept {
  if (!headers_may_go() || !pairing_switched_on()) return false;
  const int number = receiver_on_node(sending, dest, comm);
  if (number < 0 || !begin_sending(number, sending)) return false;
  path_ = Path::kPaired;
  reason_ = Reason::kNone;
  return true;
}

// By the rules, for a message of this type: the other end may have another one.
bool MessageBuffer::is_worth_pairing(wire::Sending sending) const noexcept {
  return plan_ != nullptr && may_pair(sending, shape_of(*datatype_, count_), bytes_, datatype_->mean_run_bytes());
}

int MessageBuffer::receiver_on_node(wire::Sending sending, int dest, MPI_Comm comm) noexcept {
  if (!is_worth_pairing(sending)) {
    if (counting()) count_unpaired(procedure_, Reason::kSmall);
    return -1;
  }
  const int number = number_of(dest, comm);
  return number >= 0 && is_reachable() ? number : -1;
}

int MessageBuffer::prepare_rounds(int dest, MPI_Comm comm, May may) noexcept {
  if (may == May::kNotPair) return -1;
  offers_ = offers_of(may);
  const int number = headers_may_go() && may_gain() ? receiver_on_node(wire::Sending::kAmongOthers, dest, comm) : -1;
  if (number >= 0) {
    stage_small(Operation::kIsend);
    keep_uncut(Operation::kIsend, dest, comm);
  }
  return path_ == Path::kPack ? number : -1;
}

// Where the receiver finds the data, if it may copy them from there.
std::optional<wire::Buffer> MessageBuffer::origin_of(int number) noexcept {
  if (!offers_ || !may_offer(number, {.type = datatype_, .count = count_, .buffer = buffer_}, *offers_)) {
    return std::nullopt;
  }
  const std::optional<wire::Place> layout = show_layout(*shared_memory(), datatype_);
  if (!layout) return std::nullopt;
  return wire::Buffer{.layout = *layout, .count = count_, .address = reinterpret_cast<std::uintptr_t>(buffer_)};
}

bool MessageBuffer::begin_sending(int number, wire::Sending sending) noexcept {
  outgoing_ = PairedSend::begin(number, bytes_, datatype_->mean_run_bytes(), sending, origin_of(number));
  if (outgoing_ == nullptr && counting()) count_unpaired(procedure_, Reason::kOthers);
  return outgoing_ != nullptr;
}

bool MessageBuffer::begin_round(int number, wire::Header& header) noexcept {
  if (!headers_may_go() || !switched_on() || !pairing_switched_on()) return false;
  if (!begin_sending(number, wire::Sending::kAmongOthers)) return false;
  std::memcpy(&header, outgoing_->header(), sizeof header);
  return true;
}

void MessageBuffer::pack_chunk(std::int64_t position, char* to, std::int64_t bytes) noexcept {
  const bool is_past = shared_memory()->is_packed_past(outgoing_->ticket());
  timed(procedure_, true, [&] { move::pack_for_peer(is_past, *plan_, count_, buffer_, position, to, bytes); });
}

void MessageBuffer::help_receiver() noexcept {
  help(*shared_memory(), *outgoing_, datatype_, count_, buffer_);
}

void MessageBuffer::pack_paired(bool patience) noexcept {
  if (outgoing_ == nullptr || is_offered()) return;
  wire::Patience rest;
  pack_unless_copied(outgoing_->settle(rest, [this] { help_receiver(); }), patience);
}

void MessageBuffer::end_offer(wire::Patience& rest) noexcept {
  if (is_offered()) pack_unless_copied(outgoing_->settle(rest, [this] { help_receiver(); }), false);
}

void MessageBuffer::take_back_offer() noexcept {
  if (!is_offered()) return;
  const std::optional<wire::Offer> found = outgoing_->try_settle(true, [] {});
  found ? pack_unless_copied(*found, false) : end_offer();
}

bool MessageBuffer::try_end_offer() noexcept {
  if (!is_offered()) return true;
  const std::optional<wire::Offer> found = outgoing_->try_settle(outgoing_->is_due(), [this] { help_receiver(); });
  if (found) pack_unless_copied(*found, false);
  return found.has_value();
}

// If its receiver has not. `found`: what became of the offer, if it was one.
void MessageBuffer::pack_unless_copied(wire::Offer found, bool patience) noexcept {
  if (found == wire::Offer::kDelivered) return;
  outgoing_->pack(patience,
                  [this](std::int64_t position, char* to, std::int64_t bytes) { pack_chunk(position, to, bytes); });
  if (found == wire::Offer::kPacked) return;
  offer_failed(outgoing_->dest(), {.type = datatype_, .count = count_, .buffer = buffer_},
               found == wire::Offer::kRefused);
}

void MessageBuffer::count_sent() const noexcept {
  if (outgoing_ == nullptr) return;
  count_paired(procedure_, {.sent = 1, .sent_bytes = bytes_});
  count_sent_to(outgoing_->dest(), bytes_);
}

void MessageBuffer::choose_receive_path(Operation operation, int source, MPI_Comm comm) noexcept {
  choose_path(operation, source, comm);
  if (headers_may_come()) look_out(operation, source == MPI_PROC_NULL ? Distance::kAny : distance_to(source, comm));
}

// A receive that looks for headers would be an error without an entry; no more are sent to this process then.
void MessageBuffer::stay_without_entry(Reason reason) noexcept {
  if (looks_) refuse(Refusal::kCompletion);
  if (looks_ && reason == Reason::kCompletion) return;
  looks_ = false;
  stay_native(reason);
}

// True if a receive of this kind is likely to get a header: if the last one from a process of this node did; before any
// came, and of a persistent one, which decides once, if the rules have messages like this one paired.
bool MessageBuffer::expects_header() const noexcept {
  const mpi::Datatype::Came came = datatype_->came();
  const bool is_known = is_from_near_ && procedure_ != Procedure::kRecv_init && came != mpi::Datatype::Came::kUnknown;
  if (is_known) return came == mpi::Datatype::Came::kPaired;
  return is_worth_pairing(wire::Sending::kAlone) || is_worth_pairing(wire::Sending::kAmongOthers);
}

// Every receive that has room for a header looks for one, whatever its type. One that is left to the library by the
// rules gets it staged, if it is likely to come: the library would put it into the type's runs, to be collected.
void MessageBuffer::look_out(Operation operation, Distance distance) noexcept {
  if (switched_on()) accept_again();
  if (reason_ == Reason::kProcNull || reason_ == Reason::kArguments || reason_ == Reason::kZero) return;
  if (reason_ == Reason::kOff) {
    if (unchecked_.hold()) return;
    // Some are on their way: until they have come it is as if it were on.
    decide_path(operation, distance);
    stage(operation);
  }
  const bool is_learnt = reason_ == Reason::kUnregistered && learn_type();
  if (is_learnt) {
    reason_ = Reason::kNone;
    decide_path(operation, distance);
    stage(operation);
  }
  if (reason_ == Reason::kFirst) return;  // there is no room for a header
  if (reason_ == Reason::kContiguous && plan_ == nullptr) {
    if (count_ <= 0) return;
    datatype_ = mpi::find_type(type_, true);
    plan_ = datatype_ == nullptr ? nullptr : datatype_->plan();
    if (plan_ == nullptr) return receive_undecoded(operation);
    if (__builtin_mul_overflow(plan_->size(), count_, &bytes_)) return;
    // As the program gave it: a header ends inside no basic type.
    looks_ = bytes_ >= wire::kHeaderBytes;
    return;
  }
  if (plan_ != nullptr && bytes_ > 0 && bytes_ < wire::kHeaderBytes) return;
  bool can_gather = false;
  if (reason_ == Reason::kContiguous && bytes_ <= largest_message() && is_reachable()) {
    path_ = Path::kInPlace;
  } else if (path_ == Path::kNative) {
    can_gather = can_gather_header();
    is_from_near_ = distance == Distance::kNear;
    if (!can_gather || (distance != Distance::kFar && expects_header())) stage_small(operation);
  }
  looks_ = path_ != Path::kNative || can_gather;
  if (looks_) return;
  // Learnt, and still not registered: no memory.
  const bool is_unknown = is_learnt && reason_ == Reason::kUnregistered;
  if (reason_ == Reason::kCombiner || is_unknown || lacks_memory()) return receive_undecoded(operation);
  if (reason_ == Reason::kDevice || reason_ == Reason::kLarge || reason_ == Reason::kStaging) {
    refuse(Refusal::kReceive);
  }
}

// True if find_type() knows the handle, and gave nothing: there was no memory.
bool MessageBuffer::lacks_memory() const noexcept {
  return datatype_ == nullptr && count_ > 0 && mpi::is_known_committed(type_);
}

// Registers a type of which no commit was seen, if it is committed all the same: an F90 type, a copy of one, what
// MPI_File_get_view returns. Else it is an error, which is the library's to raise.
bool MessageBuffer::learn_type() const noexcept {
  if (count_ <= 0 || type_ == MPI_DATATYPE_NULL || mpi::is_registered(type_) || refuses_type(type_)) return false;
  mpi::register_type(type_);
  return true;
}

// No more headers come; those on their way are looked for.
void MessageBuffer::receive_undecoded(Operation operation) noexcept {
  refuse(Refusal::kReceive);
  if (is_any_on_its_way()) looks_ = stage_undecoded(operation);
}

// Of a type that is not decoded, where a header may come: as bytes, which the library unpacks. False: it stays native.
bool MessageBuffer::stage_undecoded(Operation operation) noexcept {
  MPI_Count size = 0;
  if (mpi::library.Type_size_x(type_, &size) != MPI_SUCCESS || __builtin_mul_overflow(size, count_, &bytes_) ||
      bytes_ < wire::kHeaderBytes || bytes_ > largest_message() || !undecoded_.hold(type_) ||
      !reserve(operation, bytes_)) {
    bytes_ = 0;
    return false;
  }
  path_ = Path::kPack;
  reason_ = Reason::kNone;
  return true;
}

// True if a header that the library delivers into the gaps of the type's layout can be put together again: it ends
// inside no basic type (some libraries drop the rest), and no long double has gaps of its own where the header has
// none.
bool MessageBuffer::can_gather_header() noexcept {
  if (plan_ == nullptr || bytes_ < wire::kHeaderBytes || !is_reachable()) return false;
  const layout::Layout& type = *datatype_->layout();
  const std::int64_t rest = wire::kHeaderBytes % type.size;
  return layout::whole_basics(type, rest) == rest &&
         (datatype_->has_one_basic_type() || !datatype_->may_hold_long_doubles());
}

bool MessageBuffer::read_header(std::int64_t received_bytes) noexcept {
  const bool may_be = received_bytes == wire::kHeaderBytes || received_bytes == kAnyBytes;
  const bool is_paired = may_be && begin_pull();
  // Of shorter messages, and from other nodes, none is ever paired.
  if (is_from_near_ && datatype_ != nullptr && (is_paired || received_bytes >= smallest_paired(Traffic::kPointToPoint)))
    datatype_->note_arrival(is_paired);
  return is_paired;
}

bool MessageBuffer::begin_pull() noexcept {
  if (path_ == Path::kNative) {
    wire::Header header;
    move::pack(*plan_, count_, buffer_, 0, reinterpret_cast<char*>(&header), wire::kHeaderBytes);
    incoming_ = PairedReceive::recognise(&header);
  } else {
    incoming_ = PairedReceive::recognise(buffer());
  }
  if (!incoming_) return false;
  count_received();
  return true;
}

// Once: of a persistent receive the program may have freed the type since.
void MessageBuffer::describe() noexcept {
  if (plan_ != nullptr || path_ == Path::kPack) return;
  if (!mpi::is_known_committed(type_)) learn_type();
  datatype_ = count_ <= 0 ? nullptr : mpi::find_type(type_, true);
  plan_ = datatype_ == nullptr ? nullptr : datatype_->plan();
  if (plan_ == nullptr || __builtin_mul_overflow(plan_->size(), count_, &bytes_)) bytes_ = 0;
  if (plan_ != nullptr) plan_->prepare(count_);
  if (plan_ == nullptr && (datatype_ != nullptr || lacks_memory())) stage_undecoded(Operation::kIreceive);
}

std::unique_ptr<char[]> MessageBuffer::packed_copy() noexcept {
  describe();
  std::unique_ptr<char[]> copy(bytes_ == 0 ? nullptr : new (std::nothrow) char[static_cast<std::size_t>(bytes_)]);
  if (copy != nullptr) pack_to(copy.get());
  return copy;
}

void MessageBuffer::begin_pull(const PairedReceive& claimed) noexcept {
  incoming_ = claimed;
  count_received();
}

void MessageBuffer::count_received() const noexcept {
  const Paired one{.received = 1, .received_bytes = paired_bytes()};
  if (logging()) log_paired(procedure_, one);
  if (!counting()) return;
  count_paired(procedure_, one);
  count_received_from(incoming_->sender(), paired_bytes());
}

// Of a message that is too long, what there is room for.
void MessageBuffer::unpack_pulled(std::int64_t position, const char* from, std::int64_t bytes) noexcept {
  const std::int64_t room = std::min(bytes, bytes_ - position);
  if (room <= 0) return;
  if (plan_ == nullptr) {
    std::memcpy(static_cast<char*>(staging_.data()) + position, from, static_cast<std::size_t>(room));
    return;
  }
  timed(procedure_, false, [&] { move::unpack(*plan_, count_, const_cast<void*>(buffer_), position, from, room); });
}

// Of a message that is offered: out of its sender's memory.
void MessageBuffer::take_offered() noexcept {
  incoming_->pull([this](const wire::Buffer& origin) {
    const std::int64_t bytes = std::min(paired_bytes(), bytes_);
    if (bytes <= 0) return true;  // there is no room for any of it
    // Where the type is not decoded, into staging.
    const mpi::DatatypePtr packed = plan_ == nullptr ? mpi::find_type(MPI_BYTE, true) : nullptr;
    if (plan_ == nullptr && (packed == nullptr || packed->plan() == nullptr)) return false;
    const Target target =
        plan_ == nullptr
            ? Target{.type = packed, .count = bytes, .buffer = staging_.data(), .bytes = bytes}
            : Target{.type = datatype_, .count = count_, .buffer = const_cast<void*>(buffer_), .bytes = bytes};
    bool is_done = false;
    timed(procedure_, false, [&] { is_done = preload::pull(*shared_memory(), *incoming_, origin, target); });
    return is_done;
  });
}

bool MessageBuffer::pull() noexcept {
  take_offered();
  return incoming_->advance(
      [this](std::int64_t position, const char* from, std::int64_t bytes) { unpack_pulled(position, from, bytes); });
}

bool MessageBuffer::pull_all() noexcept {
  take_offered();
  staging_.contained();
  const bool all = incoming_->finish(
      [this](std::int64_t position, const char* from, std::int64_t bytes) { unpack_pulled(position, from, bytes); });
  if (path_ == Path::kPack && plan_ == nullptr) unpack_part(0, std::min(paired_bytes(), bytes_));
  return all;
}

void MessageBuffer::unpack_part_of(const char* packed, std::int64_t bytes) noexcept {
  unpack_pulled(0, packed, bytes);
  if (path_ == Path::kPack && plan_ == nullptr) unpack_part(0, std::min(bytes, bytes_));
}

}  // namespace gapless::preload

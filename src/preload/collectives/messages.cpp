#include "preload/collectives/messages.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "layout/signature.hpp"
#include "move/move.hpp"
#include "move/past.hpp"
#include "mpi/abi/library.hpp"
#include "preload/collectives/room.hpp"
#include "preload/paired/acceptance.hpp"
#include "preload/paired/receiver.hpp"
#include "preload/policy/agreement.hpp"
#include "preload/policy/switches.hpp"
#include "preload/stats/log.hpp"
#include "preload/stats/peers.hpp"

namespace gapless::preload {

namespace {

bool is_long(const Piece& piece) noexcept {
  return piece.bytes() >= std::max(smallest_paired(Traffic::kPointToPoint), wire::kHeaderBytes);
}

// True if a header that the library has delivered as this type's first elements can be put together again
// (MessageBuffer::can_gather_header).
bool can_gather(const Piece& piece) noexcept {
  if (piece.elements->plan == nullptr) return false;
  const layout::Layout& type = *piece.elements->facts->layout();
  const std::int64_t rest = wire::kHeaderBytes % type.size;
  return layout::whole_basics(type, rest) == rest &&
         (piece.elements->facts->has_one_basic_type() || !piece.elements->facts->may_hold_long_doubles());
}

// The header of a message, if one is where the library has put a block as its type says.
std::optional<PairedReceive> gather(const Piece& piece) noexcept {
  if (piece.elements->plan != nullptr) {
    wire::Header header;
    move::pack(*piece.elements->plan, piece.count, piece.address, 0, reinterpret_cast<char*>(&header),
               wire::kHeaderBytes);
    return PairedReceive::recognise(&header);
  }
  Room packed;
  if (!packed.reserve(piece.bytes())) return std::nullopt;
  piece.pack(packed.data());
  return PairedReceive::recognise(packed.data());
}

}  // namespace

bool may_bring_headers() noexcept {
  return headers_may_come() && (mpi::library.Ialltoallw_c == nullptr || serves_large_counts());
}

int BlockMessages::receiver_of(const Piece& piece, std::size_t k) const noexcept {
  const int target = k < targets_.size() ? targets_[k] : MPI_PROC_NULL;
  if (target < 0 || !piece.direction.out || !is_long(piece)) return -1;
  const int number = numbers_[target];
  if (number < 0 || number == shared_memory()->segment.self() || piece.is_contiguous() || !piece.is_moved_here())
    return -1;
  const mpi::Datatype& type = *piece.elements->facts;
  return may_pair(wire::Sending::kAmongOthers, shape_of(type, piece.count), piece.bytes(), type.mean_run_bytes())
             ? number
             : -1;
}

bool BlockMessages::may_send(std::span<const Piece> sent) noexcept {
  if (!headers_may_go() || !switched_on() || !pairing_switched_on()) return false;
  for (std::size_t k = 0; k < sent.size(); ++k) sends_ = sends_ || receiver_of(sent[k], k) >= 0;
  try {
    if (sends_) sent_.reserve(sent.size());
  } catch (...) {
    sends_ = false;
  }
  return sends_;
}

bool BlockMessages::may_receive(std::span<const Piece> received) noexcept {
  return std::any_of(received.begin(), received.end(),
                     [](const Piece& piece) { return piece.direction.in && is_long(piece); });
}

bool BlockMessages::may_leave(std::span<const Piece> received) noexcept {
  const auto is_lost = [](const Piece& piece) { return piece.direction.in && is_long(piece) && !can_gather(piece); };
  if (std::none_of(received.begin(), received.end(), is_lost)) return true;
  refuse(Refusal::kReceive);
  return !is_any_on_its_way();
}

bool BlockMessages::send(const Piece& piece, std::size_t k, char* to_library) noexcept {
  if (!sends_) return false;
  const int number = receiver_of(piece, k);
  if (number < 0) return false;
  const mpi::Datatype& type = *piece.elements->facts;
  std::unique_ptr<PairedSend> message =
      PairedSend::begin(number, piece.bytes(), type.mean_run_bytes(), wire::Sending::kAmongOthers, std::nullopt);
  if (message == nullptr) {
    if (counting()) count_unpaired(procedure_, Reason::kOthers);
    return false;
  }
  const bool is_past = shared_memory()->is_packed_past(message->ticket());
  message->pack(false, [&](std::int64_t position, char* to, std::int64_t bytes) {
    is_past ? move::pack_past(*piece.elements->plan, piece.count, piece.address, position, to, bytes)
            : move::pack_near(*piece.elements->plan, piece.count, piece.address, position, to, bytes);
  });
  std::memcpy(to_library, message->header(), wire::kHeaderBytes);
  sent_.push_back(std::move(message));  // there is room (may_send)
  ++moved_.sent;
  moved_.sent_bytes += piece.bytes();
  if (counting()) count_sent_to(number, piece.bytes());
  return true;
}

void BlockMessages::withdraw() noexcept {
  for (const std::unique_ptr<PairedSend>& message : sent_) message->withdraw();
  sent_.clear();
}

bool BlockMessages::receive(const Piece& piece, const char* from_library) noexcept {
  if (!is_long(piece) || !is_any_on_its_way()) return false;
  std::optional<PairedReceive> message =
      from_library != nullptr ? PairedReceive::recognise(from_library) : gather(piece);
  if (!message) return false;
  const std::int64_t bytes = message->bytes(), room = std::min(bytes, piece.bytes());
  Room whole;  // of a block that the library unpacks
  const bool is_decoded = piece.elements->plan != nullptr;
  const bool has_room = is_decoded || whole.reserve(piece.bytes());
  const bool is_all = message->finish([&](std::int64_t position, const char* from, std::int64_t part) {
    const std::int64_t some = std::min(part, room - position);
    if (some <= 0 || !has_room) return;
    if (is_decoded) {
      move::unpack(*piece.elements->plan, piece.count, const_cast<char*>(piece.address), position, from, some);
    } else {
      std::memcpy(whole.data() + position, from, static_cast<std::size_t>(some));
    }
  });
  if (!is_decoded && has_room && is_all && bytes == piece.bytes()) piece.unpack_by_library(whole.data());
  if (!is_all) error_ = MPI_ERR_OTHER;
  if (!has_room) error_ = MPI_ERR_NO_MEM;
  if (bytes != piece.bytes()) error_ = MPI_ERR_TRUNCATE;
  ++moved_.received;
  moved_.received_bytes += bytes;
  if (counting()) count_received_from(message->sender(), bytes);
  return true;
}

void BlockMessages::count() const noexcept {
  if (moved_.sent + moved_.received == 0) return;
  if (logging()) log_paired(procedure_, moved_);
  if (counting()) count_paired(procedure_, moved_);
}

}  // namespace gapless::preload

#include "preload/collectives/messages.hpp"

#include <dlfcn.h>

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

bool may_hold_header(const Piece& piece) noexcept {
  return piece.bytes() >= wire::kHeaderBytes;
}

// How many bytes of a header this block can carry: it ends inside no basic type, for that is an error in some
// libraries; and a type with long doubles, of which a library may leave the gaps out, carries none (wire/header.hpp).
// Both ends have the same basic types in the same order. All that a header says is in its first bytes.
int header_bytes_of(const Piece& piece) noexcept {
  const mpi::Datatype& type = *piece.elements->facts;
  if (!type.has_one_basic_type() && type.may_hold_long_doubles()) return 0;
  const std::int64_t rest = wire::kHeaderBytes % type.layout()->size;
  return static_cast<int>(wire::kHeaderBytes - rest + layout::whole_basics(*type.layout(), rest));
}

// Where the library has put a block as its type says, its first bytes.
bool gather(const Piece& piece, wire::Header& header) noexcept {
  if (piece.elements->plan != nullptr) {
    move::pack(*piece.elements->plan, piece.count, piece.address, 0, reinterpret_cast<char*>(&header),
               wire::kHeaderBytes);
    return true;
  }
  Room packed;
  if (!packed.reserve(piece.bytes())) return false;
  piece.pack(packed.data());
  std::memcpy(&header, packed.data(), wire::kHeaderBytes);
  return true;
}

}  // namespace

bool may_bring_headers() noexcept {
  return headers_may_come() && (mpi::library.Ialltoallw_c == nullptr || serves_large_counts());
}

bool are_blocks_messages() noexcept {
  static const bool are = [] {
    for (const char* const name : {"libhcoll.so.1", "libhcoll.so", "libucc.so.1"}) {
      void* const loaded = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
      if (loaded == nullptr) continue;
      dlclose(loaded);
      return false;
    }
    dlerror();
    return true;
  }();
  return are;
}

int BlockMessages::receiver_of(const Piece& piece, std::size_t k) const noexcept {
  const int target = k < targets_.size() ? targets_[k] : MPI_PROC_NULL;
  if (target < 0 || !piece.direction.out || !may_hold_header(piece)) return -1;
  const int number = numbers_[target];
  if (number < 0 || number == shared_memory()->segment.self() || piece.is_contiguous() || !piece.is_moved_here())
    return -1;
  const mpi::Datatype& type = *piece.elements->facts;
  const bool gains =
      may_pair(wire::Sending::kAmongOthers, shape_of(type, piece.count), piece.bytes(), type.mean_run_bytes());
  return gains && header_bytes_of(piece) > 0 ? number : -1;
}

bool BlockMessages::may_send(std::span<const Piece> sent, bool staged) noexcept {
  if (numbers_ == nullptr || !headers_may_go() || !switched_on() || !pairing_switched_on()) return false;
  std::int64_t all = 0, some = 0;
  for (std::size_t k = 0; k < sent.size(); ++k) {
    if (sent[k].direction.out) all += sent[k].bytes();
    if (receiver_of(sent[k], k) >= 0) some += sent[k].bytes();
  }
  sends_ = some > 0 && (staged || some >= all / 2);
  try {
    if (sends_) sent_.reserve(sent.size());
  } catch (...) {
    sends_ = false;
  }
  return sends_;
}

bool BlockMessages::may_receive(std::span<const Piece> received) noexcept {
  return std::any_of(received.begin(), received.end(),
                     [](const Piece& piece) { return piece.direction.in && may_hold_header(piece); });
}

void BlockMessages::leave(std::span<const Piece> received) noexcept {
  const auto is_undecoded = [](const Piece& piece) {
    return piece.direction.in && may_hold_header(piece) && piece.elements->plan == nullptr;
  };
  if (std::any_of(received.begin(), received.end(), is_undecoded)) refuse(Refusal::kReceive);
}

int BlockMessages::send(const Piece& piece, std::size_t k, char* to_library) noexcept {
  if (!sends_) return 0;
  const int number = receiver_of(piece, k);
  if (number < 0) return 0;
  const mpi::Datatype& type = *piece.elements->facts;
  std::unique_ptr<PairedSend> message =
      PairedSend::begin(number, piece.bytes(), type.mean_run_bytes(), wire::Sending::kAmongOthers, std::nullopt);
  if (message == nullptr) {
    if (counting()) count_unpaired(procedure_, Reason::kOthers);
    return 0;
  }
  const bool is_past = shared_memory()->is_packed_past(message->ticket());
  message->pack(false, [&](std::int64_t position, char* to, std::int64_t bytes) {
    move::pack_for_peer(is_past, *piece.elements->plan, piece.count, piece.address, position, to, bytes);
  });
  std::memcpy(to_library, message->header(), wire::kHeaderBytes);
  sent_.push_back(std::move(message));  // there is room (may_send)
  ++moved_.sent;
  moved_.sent_bytes += piece.bytes();
  if (counting()) count_sent_to(number, piece.bytes());
  return header_bytes_of(piece);
}

void BlockMessages::withdraw() noexcept {
  for (const std::unique_ptr<PairedSend>& message : sent_) message->withdraw();
  sent_.clear();
}

bool BlockMessages::receive(const Piece& piece, const char* from_library) noexcept {
  if (!may_hold_header(piece) || !is_any_on_its_way()) return false;
  wire::Header gathered;
  if (from_library == nullptr && !gather(piece, gathered)) {
    error_ = MPI_ERR_NO_MEM;
    return true;
  }
  std::optional<PairedReceive> message =
      PairedReceive::recognise(from_library != nullptr ? from_library : reinterpret_cast<const char*>(&gathered));
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
  if (!is_decoded && has_room && is_all) {
    Piece part = piece;
    part.count = room / piece.elements->size;
    part.unpack_by_library(whole.data());
  }
  if (bytes > room) error_ = MPI_ERR_TRUNCATE;
  if (!has_room) error_ = MPI_ERR_NO_MEM;
  if (!is_all) error_ = MPI_ERR_OTHER;
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

#include "preload/collectives/side.hpp"

#include "preload/transfer/transfer.hpp"

namespace gapless::preload {

void Side::stage() noexcept {
  route_ = Route::kStaged;
  blocks_.leave_device_data_to_library();
}

bool Side::is_worth(Operation operation) const noexcept {
  return is_packed() && policy.verdict(operation, Distance::kAny, Shape::kVector, blocks_.bytes(),
                                       blocks_.mean_run_bytes()) != Verdict::kNative;
}

void Side::join(Side& many) noexcept {
  const Piece &own = blocks_.pieces()[0], &other = many.blocks_.own();
  if (own.bytes() != other.bytes()) return;
  route_ = Route::kJoined;
  many_ = &many;
  if (own.direction.out) many.received_ = &other;
  // Both ends are accessed here, though neither may be staged.
  if (!own.is_on_host() || !other.is_on_host()) blocks_.leave_to_library(own);
}

// Where the packed bytes of a piece are, or lie contiguous.
char* Side::packed(const Piece& piece) const noexcept {
  return route_ == Route::kStaged ? static_cast<char*>(staging_.data()) + piece.at : piece.first_byte();
}

void Side::move_own_block() noexcept {
  const Piece &own = blocks_.pieces()[0], &other = many_->blocks_.own();
  if (own.bytes() == 0) return;
  char* const there = many_->packed(other);
  if (own.direction.in) return own.unpack(there);
  if (many_->route_ != Route::kStaged) return own.pack(there);
  own.move(other, there);
}

void Side::pack(Procedure procedure, BlockMessages* messages) noexcept {
  if (route_ == Route::kJoined) return timed(procedure, true, [&] { move_own_block(); });
  if (route_ != Route::kStaged) return;
  timed(procedure, true, [&] {
    const std::span<const Piece> pieces = blocks_.pieces();
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      const Piece& piece = pieces[k];
      if (!piece.direction.out || piece.is_paired || piece.bytes() == 0) continue;
      const int header_bytes = messages == nullptr ? 0 : messages->send(piece, k, packed(piece));
      blocks_.set_header(piece, header_bytes);
      if (header_bytes == 0) piece.pack(packed(piece));
    }
  });
}

void Side::unpack(Procedure procedure, BlockMessages* messages) noexcept {
  if (route_ != Route::kStaged && messages == nullptr) return;
  timed(procedure, false, [&] {
    for (const Piece& piece : blocks_.pieces()) {
      if (!piece.direction.in || piece.is_paired || piece.bytes() == 0 || &piece == received_) continue;
      const bool is_by_type = route_ != Route::kStaged && !piece.is_contiguous();
      if (messages != nullptr && messages->receive(piece, is_by_type ? nullptr : packed(piece))) continue;
      if (route_ == Route::kStaged) piece.unpack(packed(piece));
    }
  });
}

}  // namespace gapless::preload

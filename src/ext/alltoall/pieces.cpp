#include "ext/alltoall/pieces.hpp"

namespace gapless::ext::regular {

using alltoall::Buffer;
using alltoall::Place;

void find_pieces(const alltoall::Message& message, Side side, const Memory& memory, bool merges,
                 std::vector<Piece>& pieces) {
  pieces.clear();
  for (const alltoall::Move& block : message.blocks) {
    const Place place = side == Side::kSend ? block.from : block.to;
    const int index = block_index(place, memory.rank, memory.processes);
    const Buffer buffer = place.buffer == Buffer::kReceiveFixed ? Buffer::kReceive : place.buffer;
    if (merges && !pieces.empty() && pieces.back().buffer == buffer &&
        pieces.back().first + pieces.back().blocks == index)
      ++pieces.back().blocks;
    else
      pieces.push_back({buffer, index, 1});
  }
}

int pack(const std::vector<Piece>& pieces, const Memory& memory, char* packed) noexcept {
  for (const Piece& piece : pieces) {
    const std::int64_t bytes = piece.blocks * memory.send.bytes();
    if (piece.buffer == Buffer::kSlot) {
      std::memcpy(packed, memory.slot(piece.first), static_cast<std::size_t>(bytes));
    } else if (const int code = memory.blocks_of(piece.buffer).pack(piece.first, piece.blocks, packed);
               code != MPI_SUCCESS) {
      return code;
    }
    packed += bytes;
  }
  return MPI_SUCCESS;
}

int unpack(const std::vector<Piece>& pieces, const Memory& memory, const char* packed) noexcept {
  for (const Piece& piece : pieces) {
    const std::int64_t bytes = piece.blocks * memory.send.bytes();
    if (piece.buffer == Buffer::kSlot) {
      std::memcpy(memory.slot(piece.first), packed, static_cast<std::size_t>(bytes));
    } else if (const int code = memory.blocks_of(piece.buffer).unpack(piece.first, piece.blocks, packed);
               code != MPI_SUCCESS) {
      return code;
    }
    packed += bytes;
  }
  return MPI_SUCCESS;
}

}  // namespace gapless::ext::regular

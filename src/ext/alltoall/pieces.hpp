// The blocks that a message sends, or receives, as pieces of memory in the message's order.
#pragma once

#include <cstdint>
#include <vector>

#include "alltoall/catalogue.hpp"
#include "ext/alltoall/blocks.hpp"

namespace gapless::ext::regular {

// Everything that a schedule's places are places of.
struct Memory {
  const Blocks& send;     // in place: those of the receive buffer
  const Blocks& receive;  // both have the same bytes in a block
  char* slots;            // so many bytes for each
  int rank, processes;

  const Blocks& blocks_of(alltoall::Buffer buffer) const noexcept {
    return buffer == alltoall::Buffer::kSend ? send : receive;
  }
  char* slot(std::int64_t index) const noexcept { return slots + index * send.bytes(); }
};

// Neighbours in one of these buffers.
struct Piece {
  alltoall::Buffer buffer;
  std::int64_t first, blocks;
};

enum class Side { kSend, kReceive };

// `merges`: neighbours become one piece.
void find_pieces(const alltoall::Message& message, Side side, const Memory& memory, bool merges,
                 std::vector<Piece>& pieces);

// The packed data of all pieces. MPI_SUCCESS or the library's code.
int pack(const std::vector<Piece>& pieces, const Memory& memory, char* packed) noexcept;
int unpack(const std::vector<Piece>& pieces, const Memory& memory, const char* packed) noexcept;

// What MPI is told: `count` elements of a type at an address.
struct Described {
  void* address = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  bool is_made = false;  // the type is to be freed
};

// Bytes, as MPI_PACKED: that matches whatever types the other process has its side described by. One piece as it is.
// `described` may need a type for what an int does not count. MPI_SUCCESS or the library's code.
int describe_bytes(char* data, std::int64_t bytes, Described& described) noexcept;
int describe_piece(const Piece& piece, const Memory& memory, Described& described) noexcept;
// All pieces, as one element of a type of absolute addresses: a list of blocks where they are of one type, else a
// struct.
int describe_pieces(const std::vector<Piece>& pieces, const Memory& memory, Described& described);
// All blocks of a round of Bruck's algorithm in the receive buffer, as the vector that they are: bounded where they
// stand at fixed places, else circular. `distance`: 2^round.
int describe_vector(alltoall::Buffer buffer, int distance, const Memory& memory, Described& described) noexcept;

void free(Described& described) noexcept;

}  // namespace gapless::ext::regular

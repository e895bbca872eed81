// Pieces as MPI is told of them.
#include <climits>

#include "ext/alltoall/pieces.hpp"
#include "ext/counted.hpp"
#include "gapless/gapless_mpi.h"

namespace gapless::ext::regular {

using alltoall::Buffer;

namespace {

int commit(int code, MPI_Datatype made, void* address, Described& described) noexcept {
  code = commit_or_free(code, made);
  if (code == MPI_SUCCESS) described = {address, 1, made, true};
  return code;
}

int describe(void* address, MPI_Count count, MPI_Datatype type, Described& described) noexcept {
  Counted made{};
  const int code = counted(count, type, made);
  if (code == MPI_SUCCESS) described = {address, made.count, made.type, made.is_made};
  return code;
}

struct Elements {
  char* address;
  MPI_Count count;
  MPI_Datatype type;
};
Elements elements_of(const Piece& piece, const Memory& memory) noexcept {
  if (piece.buffer == Buffer::kSlot) return {memory.slot(piece.first), piece.blocks * memory.send.bytes(), MPI_BYTE};
  const Blocks& blocks = memory.blocks_of(piece.buffer);
  return {blocks.at(piece.first), piece.blocks * blocks.count(), blocks.type()};
}

}  // namespace

int describe_bytes(char* data, std::int64_t bytes, Described& described) noexcept {
  return describe(data, bytes, MPI_PACKED, described);
}

int describe_piece(const Piece& piece, const Memory& memory, Described& described) noexcept {
  const Elements elements = elements_of(piece, memory);
  return describe(elements.address, elements.count, elements.type, described);
}

int describe_pieces(const std::vector<Piece>& pieces, const Memory& memory, Described& described) {
  if (pieces.size() > INT_MAX) return MPI_ERR_COUNT;
  const int n = static_cast<int>(pieces.size());
  std::vector<int> lengths;
  std::vector<MPI_Aint> places;
  std::vector<MPI_Datatype> types, made;
  lengths.reserve(pieces.size());
  places.reserve(pieces.size());
  types.reserve(pieces.size());
  int code = MPI_SUCCESS;
  bool is_one_type = true;
  for (const Piece& piece : pieces) {
    Elements elements = elements_of(piece, memory);
    if (elements.count > INT_MAX) {
      if (code = repeated(elements.count, elements.type, &elements.type); code != MPI_SUCCESS) break;
      made.push_back(elements.type);
      elements.count = 1;
    }
    MPI_Aint place = 0;
    MPI_Get_address(elements.address, &place);
    lengths.push_back(static_cast<int>(elements.count));
    places.push_back(place);
    types.push_back(elements.type);
    is_one_type = is_one_type && elements.type == types.front();
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (code == MPI_SUCCESS)
    code = is_one_type ? MPI_Type_create_hindexed(n, lengths.data(), places.data(), types.front(), &type)
                       : MPI_Type_create_struct(n, lengths.data(), places.data(), types.data(), &type);
  for (MPI_Datatype& large : made) MPI_Type_free(&large);
  return commit(code, type, MPI_BOTTOM, described);
}

int describe_vector(Buffer buffer, int distance, const Memory& memory, Described& described) noexcept {
  const Blocks& blocks = memory.receive;
  const MPI_Count count = blocks.count(), bound = (memory.processes - distance) * count;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (buffer == Buffer::kReceiveFixed) {
    const int code =
        GAPLESS_Type_create_vector_bounded(bound, distance * count, 2 * distance * count, blocks.type(), &type);
    return commit(code, type, blocks.at(distance), described);
  }
  const int start = alltoall::block_index({Buffer::kReceive, distance}, memory.rank, memory.processes);
  const int code = GAPLESS_Type_create_vector_circular(memory.processes * count, start * count, bound, distance * count,
                                                       2 * distance * count, blocks.type(), &type);
  return commit(code, type, blocks.at(0), described);
}

void free(Described& described) noexcept {
  if (described.is_made) MPI_Type_free(&described.type);
  described.is_made = false;
}

}  // namespace gapless::ext::regular

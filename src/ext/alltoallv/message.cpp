#include "ext/alltoallv/message.hpp"

#include <algorithm>
#include <climits>
#include <utility>

namespace gapless::ext::irregular {

namespace {

// Of a piece beyond an int there are several, a round number of bytes each.
constexpr std::int64_t kLongestPiece = 1 << 30;

}  // namespace

// Chunks of 2^30 elements, and the rest behind them.
int counted(MPI_Count count, MPI_Datatype type, Counted& made) {
  if (count <= INT_MAX) {
    made = {static_cast<int>(count), type, false};
    return MPI_SUCCESS;
  }
  constexpr int kChunk = 1 << 30;
  const MPI_Count chunks = count / kChunk;
  if (chunks > INT_MAX) return MPI_ERR_COUNT;
  MPI_Aint low = 0, extent = 0;
  if (const int code = MPI_Type_get_extent(type, &low, &extent); code != MPI_SUCCESS) return code;
  MPI_Datatype chunk = MPI_DATATYPE_NULL, all = MPI_DATATYPE_NULL;
  if (const int code = MPI_Type_contiguous(kChunk, type, &chunk); code != MPI_SUCCESS) return code;
  const int lengths[] = {static_cast<int>(chunks), static_cast<int>(count % kChunk)};
  const MPI_Aint places[] = {0, static_cast<MPI_Aint>(chunks * kChunk) * extent};
  const MPI_Datatype types[] = {chunk, type};
  int code = MPI_Type_create_struct(2, lengths, places, types, &all);
  MPI_Type_free(&chunk);
  if (code != MPI_SUCCESS) return code;
  code = MPI_Type_commit(&all);
  if (code == MPI_SUCCESS)
    made = {1, all, true};
  else
    MPI_Type_free(&all);
  return code;
}

Message::Message(Message&& other) noexcept
    : buffer_(other.buffer_),
      count_(other.count_),
      type_(other.type_),
      is_made_(std::exchange(other.is_made_, false)) {}

Message::~Message() {
  if (is_made_) MPI_Type_free(&type_);
}

int Message::describe(const Pieces& pieces) {
  const std::vector<Pieces::Piece>& all = pieces.all();
  if (all.empty()) return MPI_SUCCESS;
  if (all.size() == 1 && all[0].bytes <= INT_MAX) {
    buffer_ = all[0].data;
    count_ = static_cast<int>(all[0].bytes);
    type_ = MPI_BYTE;
    return MPI_SUCCESS;
  }
  std::vector<int> lengths;
  std::vector<MPI_Aint> places;
  lengths.reserve(all.size());
  places.reserve(all.size());
  for (const Pieces::Piece& piece : all)
    for (std::int64_t at = 0; at < piece.bytes; at += kLongestPiece) {
      MPI_Aint place = 0;
      MPI_Get_address(piece.data + at, &place);
      places.push_back(place);
      lengths.push_back(static_cast<int>(std::min(kLongestPiece, piece.bytes - at)));
    }
  if (lengths.size() > INT_MAX) return MPI_ERR_COUNT;
  MPI_Datatype made = MPI_DATATYPE_NULL;
  int code = MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), places.data(), MPI_BYTE, &made);
  if (code != MPI_SUCCESS) return code;
  if (code = MPI_Type_commit(&made); code != MPI_SUCCESS) {
    MPI_Type_free(&made);
    return code;
  }
  buffer_ = MPI_BOTTOM;
  count_ = 1;
  type_ = made;
  is_made_ = true;
  return MPI_SUCCESS;
}

}  // namespace gapless::ext::irregular

#include "ext/alltoallv/message.hpp"

#include <algorithm>
#include <climits>
#include <utility>

#include "ext/counted.hpp"

namespace gapless::ext::irregular {

namespace {

// Of a piece beyond an int there are several, a round number of bytes each.
constexpr std::int64_t kLongestPiece = 1 << 30;

}  // namespace

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
  const int code = commit_or_free(
      MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), places.data(), MPI_BYTE, &made), made);
  if (code != MPI_SUCCESS) return code;
  buffer_ = MPI_BOTTOM;
  count_ = 1;
  type_ = made;
  is_made_ = true;
  return MPI_SUCCESS;
}

}  // namespace gapless::ext::irregular

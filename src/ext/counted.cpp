#include "ext/counted.hpp"

#include <climits>

namespace gapless::ext {

// Chunks that an int counts, and the rest behind them.
int repeated(MPI_Count count, MPI_Datatype type, MPI_Datatype* made) noexcept {
  constexpr int kChunk = 1 << 30;
  const MPI_Count chunks = count / kChunk;
  if (chunks > INT_MAX) return MPI_ERR_COUNT;
  MPI_Aint low = 0, extent = 0;
  if (const int code = MPI_Type_get_extent(type, &low, &extent); code != MPI_SUCCESS) return code;
  MPI_Datatype chunk = MPI_DATATYPE_NULL;
  if (const int code = MPI_Type_contiguous(kChunk, type, &chunk); code != MPI_SUCCESS) return code;
  const int lengths[] = {static_cast<int>(chunks), static_cast<int>(count % kChunk)};
  const MPI_Aint places[] = {0, static_cast<MPI_Aint>(chunks * kChunk) * extent};
  const MPI_Datatype types[] = {chunk, type};
  const int code = MPI_Type_create_struct(2, lengths, places, types, made);
  MPI_Type_free(&chunk);
  return code;
}

int commit_or_free(int code, MPI_Datatype& made) noexcept {
  if (code != MPI_SUCCESS) return code;
  if (code = MPI_Type_commit(&made); code != MPI_SUCCESS) MPI_Type_free(&made);
  return code;
}

int counted(MPI_Count count, MPI_Datatype type, Counted& made) noexcept {
  if (count <= INT_MAX) {
    made = {static_cast<int>(count), type, false};
    return MPI_SUCCESS;
  }
  MPI_Datatype all = MPI_DATATYPE_NULL;
  const int code = commit_or_free(repeated(count, type, &all), all);
  if (code == MPI_SUCCESS) made = {1, all, true};
  return code;
}

}  // namespace gapless::ext

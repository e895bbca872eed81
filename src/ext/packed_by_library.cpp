#include "ext/packed_by_library.hpp"

#include <climits>

#include "base/checked.hpp"
#include "mpi/abi/library.hpp"

namespace gapless::ext {

int PackedByLibrary::make_room() {
  MPI_Count element = -1;
  if (const int code = mpi::library.Type_size_x(type_, &element); code != MPI_SUCCESS) return code;
  if (element < 0) return MPI_ERR_TYPE;  // MPI_UNDEFINED: beyond what the library can count
  size_ = base::checked_mul(element, count_, "size * count");
  const bool is_small = size_ <= INT_MAX && count_ <= INT_MAX;
  if (!is_small && mpi::library.Pack_c == nullptr) return MPI_ERR_COUNT;
  data_ = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(size_) + 1);
  return MPI_SUCCESS;
}

int PackedByLibrary::pack(const void* buffer) {
  if (size_ == 0) return MPI_SUCCESS;
  if (mpi::library.Pack_c != nullptr) {
    MPI_Count position = 0;
    return mpi::library.Pack_c(buffer, count_, type_, data_.get(), size_, &position, own_comm());
  }
  int position = 0;
  return mpi::library.Pack(buffer, static_cast<int>(count_), type_, data_.get(), static_cast<int>(size_), &position,
                           own_comm());
}

int PackedByLibrary::unpack(void* buffer) const {
  if (size_ == 0) return MPI_SUCCESS;
  if (mpi::library.Unpack_c != nullptr) {
    MPI_Count position = 0;
    return mpi::library.Unpack_c(data_.get(), size_, &position, buffer, count_, type_, own_comm());
  }
  int position = 0;
  return mpi::library.Unpack(data_.get(), static_cast<int>(size_), &position, buffer, static_cast<int>(count_), type_,
                             own_comm());
}

}  // namespace gapless::ext

#include "ext/packed_by_library.hpp"

#include <climits>

#include "base/checked.hpp"
#include "ext/counted.hpp"
#include "mpi/abi/library.hpp"

namespace gapless::ext {

NotBottom::NotBottom(const void* buffer, MPI_Datatype type)
    : buffer_(static_cast<char*>(const_cast<void*>(buffer))), type_(type) {
  static char anchor;
  if (buffer != nullptr) return;
  const int one = 1;
  const auto lower = static_cast<MPI_Aint>(-reinterpret_cast<std::uintptr_t>(&anchor));
  MPI_Datatype made = MPI_DATATYPE_NULL;
  code_ = commit_or_free(MPI_Type_create_hindexed(1, &one, &lower, type, &made), made);
  if (code_ != MPI_SUCCESS) return;
  buffer_ = &anchor;
  type_ = made;
  is_made_ = true;
}

NotBottom::~NotBottom() {
  if (is_made_) MPI_Type_free(&type_);
}

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
  const NotBottom from(buffer, type_);
  if (from.code() != MPI_SUCCESS) return from.code();
  if (mpi::library.Pack_c != nullptr) {
    MPI_Count position = 0;
    return mpi::library.Pack_c(from.buffer(), count_, from.type(), data_.get(), size_, &position, own_comm());
  }
  int position = 0;
  return mpi::library.Pack(from.buffer(), static_cast<int>(count_), from.type(), data_.get(), static_cast<int>(size_),
                           &position, own_comm());
}

int PackedByLibrary::unpack(void* buffer) const {
  if (size_ == 0) return MPI_SUCCESS;
  const NotBottom to(buffer, type_);
  if (to.code() != MPI_SUCCESS) return to.code();
  if (mpi::library.Unpack_c != nullptr) {
    MPI_Count position = 0;
    return mpi::library.Unpack_c(data_.get(), size_, &position, to.buffer(), count_, to.type(), own_comm());
  }
  int position = 0;
  return mpi::library.Unpack(data_.get(), static_cast<int>(size_), &position, to.buffer(), static_cast<int>(count_),
                             to.type(), own_comm());
}

}  // namespace gapless::ext

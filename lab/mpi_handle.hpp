// An MPI datatype that frees itself; predefined types are left alone.
#pragma once

#include <mpi.h>

#include <utility>

namespace gapless::lab {

class MpiType {
 public:
  MpiType() = default;
  MpiType(MPI_Datatype handle, bool owned) : handle_(handle), owned_(owned) {}
  MpiType(MpiType&& other) noexcept : handle_(other.handle_), owned_(std::exchange(other.owned_, false)) {}
  MpiType& operator=(MpiType&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(owned_, other.owned_);
    return *this;
  }
  ~MpiType() {
    if (owned_) MPI_Type_free(&handle_);
  }
  MPI_Datatype handle() const { return handle_; }

 private:
  MPI_Datatype handle_ = MPI_DATATYPE_NULL;
  bool owned_ = false;
};

}  // namespace gapless::lab

// A type that is not decoded, of which the library alone can move data: by a message of this process to itself, because
// MPI_Unpack takes whole elements only.
#pragma once

#include <cstdint>
#include <utility>

#include "mpi/abi/library.hpp"
#include "mpi/types/datatype.hpp"
#include "preload/paired/claims.hpp"

namespace gapless::preload {

class Undecoded {
 public:
  Undecoded() = default;
  ~Undecoded() {
    // After the end of MPI no type is left.
    if (is_held_ && mpi::has_epoch()) mpi::library.Type_free(&copy_);
  }
  Undecoded(Undecoded&& other) noexcept { swap(other); }
  Undecoded& operator=(Undecoded&& other) noexcept {
    swap(other);
    return *this;
  }

  // A copy, because the program may free the type while an operation is under way.
  bool hold(MPI_Datatype type) noexcept {
    is_held_ = is_held_ || mpi::library.Type_dup(type, &copy_) == MPI_SUCCESS;
    return is_held_;
  }
  void pack(const void* buffer, MPI_Count count, void* packed, std::int64_t bytes) const noexcept {
    send_to_self(buffer, count, copy_, packed, bytes, MPI_PACKED);
  }
  void unpack(void* buffer, MPI_Count count, const void* packed, std::int64_t bytes) const noexcept {
    send_to_self(packed, bytes, MPI_PACKED, buffer, count, copy_);
  }

 private:
  void swap(Undecoded& other) noexcept {
    std::swap(copy_, other.copy_);
    std::swap(is_held_, other.is_held_);
  }
  MPI_Datatype copy_{};
  bool is_held_ = false;
};

}  // namespace gapless::preload

// A type that is not decoded, of which the library alone can move data: by a message of this process to itself, because
// MPI_Unpack takes whole elements only.
#pragma once

#include <cstdint>
#include <utility>

#include "mpi/abi/library.hpp"
#include "mpi/types/datatype.hpp"
#include "mpi/types/held_type.hpp"
#include "preload/paired/claims.hpp"

namespace gapless::preload {

class Undecoded {
 public:
  Undecoded() = default;
  ~Undecoded() {
    // After the end of MPI no type is left.
    if (is_held_ && mpi::has_epoch()) mpi::library.Type_free(&held_);
  }
  Undecoded(Undecoded&& other) noexcept { swap(other); }
  Undecoded& operator=(Undecoded&& other) noexcept {
    swap(other);
    return *this;
  }

  // The program may free the type while an operation is under way.
  bool hold(MPI_Datatype type) noexcept {
    is_held_ = is_held_ || mpi::hold_type(type, held_) == MPI_SUCCESS;
    return is_held_;
  }
  void pack(const void* buffer, MPI_Count count, void* packed, std::int64_t bytes) const noexcept {
    send_to_self(buffer, count, held_, packed, bytes, MPI_PACKED);
  }
  void unpack(void* buffer, MPI_Count count, const void* packed, std::int64_t bytes) const noexcept {
    send_to_self(packed, bytes, MPI_PACKED, buffer, count, held_);
  }

 private:
  void swap(Undecoded& other) noexcept {
    std::swap(held_, other.held_);
    std::swap(is_held_, other.is_held_);
  }
  MPI_Datatype held_{};
  bool is_held_ = false;
};

}  // namespace gapless::preload

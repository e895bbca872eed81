// The library's constructors, with counts of any length: by its MPI_X_c where a number needs one, or, where the library
// has none, by constructors inside of constructors. Each returns a new type, which is the caller's to free, or throws
// Raised (error.hpp), base::Error or std::bad_alloc. Counts are not negative. After ready().
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "ext/library.hpp"

namespace gapless::ext {

using Numbers = std::span<const std::int64_t>;

// A type that is freed at the end.
class OwnedType {
 public:
  explicit OwnedType(MPI_Datatype type) noexcept : type_(type) {}
  OwnedType(OwnedType&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
  OwnedType& operator=(OwnedType&& other) noexcept {
    std::swap(type_, other.type_);
    return *this;
  }
  ~OwnedType();
  MPI_Datatype get() const noexcept { return type_; }
  MPI_Datatype release() noexcept { return std::exchange(type_, MPI_DATATYPE_NULL); }

 private:
  MPI_Datatype type_;
};

// Strides and displacements of those with an h are in bytes, of the others in extents of `old`.
OwnedType make_contiguous(std::int64_t count, MPI_Datatype old);
OwnedType make_vector(std::int64_t count, std::int64_t blocklength, std::int64_t stride, MPI_Datatype old);
OwnedType make_hvector(std::int64_t count, std::int64_t blocklength, std::int64_t stride, MPI_Datatype old);
OwnedType make_indexed(Numbers blocklengths, Numbers displacements, MPI_Datatype old);
OwnedType make_hindexed(Numbers blocklengths, Numbers displacements, MPI_Datatype old);
OwnedType make_indexed_block(std::int64_t blocklength, Numbers displacements, MPI_Datatype old);
OwnedType make_hindexed_block(std::int64_t blocklength, Numbers displacements, MPI_Datatype old);
OwnedType make_struct(Numbers blocklengths, Numbers displacements, std::span<const MPI_Datatype> types);
OwnedType make_resized(std::int64_t lb, std::int64_t extent, MPI_Datatype old);
OwnedType make_dup(MPI_Datatype old);

}  // namespace gapless::ext

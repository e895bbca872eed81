// Memory for as long as an exchange is bound.
#pragma once

#include <cstdint>
#include <memory>

#include "mpi/staging/staging.hpp"

namespace gapless::ext::irregular {

// From the pool, which is warm, or, where that has no more, from the heap.
class Room {
 public:
  // Throws std::bad_alloc.
  char* reserve(std::int64_t bytes) {
    if (bytes == 0) return nullptr;
    if (pooled_.reserve(bytes)) return static_cast<char*>(pooled_.data());
    own_ = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(bytes));
    return own_.get();
  }

 private:
  mpi::Staging pooled_;
  std::unique_ptr<char[]> own_;
};

}  // namespace gapless::ext::irregular

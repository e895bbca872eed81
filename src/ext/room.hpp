// Memory for as long as an operation is bound.
#pragma once

#include <cstdint>
#include <memory>

#include "mpi/staging/staging.hpp"

namespace gapless::ext {

// From the pool, which is warm, or, where that has no more, from the heap.
class Room {
 public:
  // Returns data(). To be called once. Throws std::bad_alloc.
  char* reserve(std::int64_t bytes) {
    if (bytes > 0 && !pooled_.reserve(bytes))
      own_ = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(bytes));
    return data();
  }
  // Null if there is none.
  char* data() const noexcept { return own_ != nullptr ? own_.get() : static_cast<char*>(pooled_.data()); }

 private:
  mpi::Staging pooled_;
  std::unique_ptr<char[]> own_;
};

}  // namespace gapless::ext

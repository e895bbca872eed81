// Memory for bytes on their way.
#pragma once

#include <cstdint>
#include <memory>

#include "mpi/staging/staging.hpp"

namespace gapless::ext::regular {

class Room {
 public:
  // From the pool, while that has any. Throws std::bad_alloc.
  void reserve(std::int64_t bytes) {
    if (bytes == 0 || pooled_.reserve(bytes)) return;
    own_ = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(bytes));
  }
  char* data() const noexcept { return own_ != nullptr ? own_.get() : static_cast<char*>(pooled_.data()); }

 private:
  mpi::Staging pooled_;
  std::unique_ptr<char[]> own_;
};

}  // namespace gapless::ext::regular

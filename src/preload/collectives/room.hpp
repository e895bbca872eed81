// Memory for a process on which others count already: staging, or else the program's heap.
#pragma once

#include <cstdint>
#include <memory>
#include <new>

#include "mpi/staging/reserve.hpp"

namespace gapless::preload {

class Room {
 public:
  bool reserve(std::int64_t bytes) noexcept {
    if (staging_.reserve(bytes)) return true;
    heap_.reset(new (std::nothrow) char[static_cast<std::size_t>(bytes)]);
    return heap_ != nullptr;
  }
  char* data() const noexcept { return heap_ != nullptr ? heap_.get() : static_cast<char*>(staging_.data()); }

 private:
  mpi::AssuredStaging staging_;
  std::unique_ptr<char[]> heap_;
};

}  // namespace gapless::preload

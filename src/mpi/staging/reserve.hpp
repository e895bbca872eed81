// Memory for a process that cannot say no. Where all processes of a communicator have begun to exchange bytes, one that
// finds no staging would leave the others waiting: so the address space for it is taken beforehand, when nothing
// depends on it, and memory comes when it is touched.
#pragma once

#include <cstdint>
#include <utility>

#include "mpi/staging/staging.hpp"

namespace gapless::mpi {

namespace reserve {

// Takes `bytes` of address space, once; later calls change nothing. False: there is none, or a limit on it that the
// program may need for itself (RLIMIT_AS), or a kernel that counts address space as memory.
bool open(std::int64_t bytes) noexcept;
// [bytes] that were taken; 0 before open(). No message beyond it may count on assured memory.
std::int64_t size() noexcept;
// The buffers among which these bytes may be divided.
inline constexpr int kMaxBuffers = 3;

}  // namespace reserve

// Staging that is there whenever reserve::size() bytes suffice for all that this process holds of it at a time, in at
// most reserve::kMaxBuffers: from the pool as ever, and from the reserve when the pool has none.
class AssuredStaging {
 public:
  AssuredStaging() = default;
  ~AssuredStaging() {
    if (data() != nullptr) release();
  }
  AssuredStaging(const AssuredStaging&) = delete;
  AssuredStaging& operator=(const AssuredStaging&) = delete;

  bool reserve(std::int64_t bytes) noexcept;
  void* data() const noexcept { return reserved_ != nullptr ? reserved_ : pooled_.data(); }
  void release() noexcept;

 private:
  Staging pooled_;
  void* reserved_ = nullptr;
};

}  // namespace gapless::mpi

// Where packed bytes wait for the library: pooled, capped per process, kept warm by the thread that uses them.
#pragma once

#include <cstdint>
#include <utility>

#include "mpi/pool.hpp"

namespace gapless::mpi {

// Holds one buffer: for a blocking call or for as long as a request is pending; any number at a time. Whichever thread
// releases it keeps it for its own next one, and hands out first what it released last, because that is the warm one:
// a ping-pong that took two buffers in turn lost a third of its time to cold memory.
class Staging {
 public:
  Staging() = default;
  ~Staging() { release(); }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  Staging(Staging&& other) noexcept { swap(other); }
  Staging& operator=(Staging&& other) noexcept {
    release();
    swap(other);
    return *this;
  }

  // At least `bytes` bytes, aligned to 64, in place of what it held before; or false, and holding nothing: no memory,
  // or more than the cap allows (GAPLESS_POOL_BYTES, default 1G) even when what lies idle is given back. Not touched:
  // the first to write is the thread that uses it, on its own node. Cost: an exchange and a few loads while the thread
  // has a buffer of that size at hand; otherwise a lock that is never held across a call of MPI. No malloc, but for a
  // thread's first call.
  bool reserve(std::int64_t bytes) noexcept;
  void* data() const noexcept { return data_; }
  // From any thread. Cost: a store, or the lock if the thread keeps enough buffers of that size already.
  void release() noexcept;

 private:
  void swap(Staging& other) noexcept {
    std::swap(block_, other.block_);
    std::swap(data_, other.data_);
  }
  Block block_;
  void* data_ = nullptr;
};

// [bytes] mapped for staging by all threads.
inline std::int64_t staging_bytes() noexcept {
  return pool::mapped_bytes();
}

}  // namespace gapless::mpi

// Where packed bytes wait for the library: pooled, capped per process, kept warm by the thread that uses them.
#pragma once

#include <cstdint>
#include <utility>

#include "mpi/staging/pool.hpp"

namespace gapless::mpi {

// Holds one buffer: for a blocking call or for as long as a request is pending; any number at a time. Whichever thread
// releases it keeps it for its own next one, and hands out first what it released last, because that is the warm one:
// a ping-pong that took two buffers in turn lost a third of its time to cold memory.
class Staging {
 public:
  Staging() = default;
  ~Staging() {
    if (block_) release();
  }
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
  bool reserve(std::int64_t bytes) noexcept { return reserve(bytes, false); }
  // For a receive by a library that writes past the end of a buffer when it truncates: whatever comes, up to kOverrun
  // more than was expected, meets nothing that is in use. May fail where reserve() does not (pool.hpp). What is written
  // there is given back at release(), unless contained() was called before: only who knows that all went well says so,
  // and a receive that failed, or of whose end nobody heard, is never forgotten.
  bool reserve_isolated(std::int64_t bytes) noexcept { return reserve(bytes, true); }
  void contained() noexcept { overrun_ = false; }
  // Holds the caller's memory instead, which outlives this.
  void borrow(void* data) noexcept {
    release();
    data_ = data;
  }
  void* data() const noexcept { return data_; }
  // From any thread. Cost: a store, or the lock if the thread keeps enough buffers of that size already.
  void release() noexcept;

 private:
  bool reserve(std::int64_t bytes, bool isolated) noexcept;
  void swap(Staging& other) noexcept {
    std::swap(block_, other.block_);
    std::swap(data_, other.data_);
    std::swap(overrun_, other.overrun_);
  }
  Block block_;
  void* data_ = nullptr;
  bool overrun_ = false;  // there may be something behind the block
};

// [bytes] of staging, of all threads, idle buffers too.
inline std::int64_t staging_bytes() noexcept {
  return pool::mapped_bytes();
}

}  // namespace gapless::mpi

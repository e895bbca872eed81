// Where packed bytes wait for the library: pooled per thread, capped per process.
#pragma once

#include <cstdint>

namespace gapless::mpi {

// Holds one of the calling thread's buffers while a call runs. The thread's first buffer serves sends and receives
// alike, because it is the warm one: with one for each direction a ping-pong lost a third of its time to cold memory.
// Only a call with two derived sides takes a second one.
class Staging {
 public:
  Staging() = default;
  ~Staging() { release(); }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  Staging(Staging&& other) noexcept { *this = static_cast<Staging&&>(other); }
  Staging& operator=(Staging&& other) noexcept {
    release();
    data_ = other.data_;
    index_ = other.index_;
    other.data_ = nullptr;
    other.index_ = -1;
    return *this;
  }

  // At least `bytes` bytes, or false: no memory, the cap reached (GAPLESS_POOL_BYTES, default 1G), or every buffer of
  // this thread in use (an error handler that communicates inside of a communication). Not touched: the first to write
  // is the thread that uses it, on its own node.
  bool reserve(std::int64_t bytes) noexcept;
  void* data() const noexcept { return data_; }
  void release() noexcept;

 private:
  void* data_ = nullptr;
  int index_ = -1;
};

// [bytes] mapped for staging by all threads.
std::int64_t staging_bytes() noexcept;

}  // namespace gapless::mpi

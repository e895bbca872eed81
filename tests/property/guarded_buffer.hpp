// A buffer between two pages that cannot be touched, flush with one of them: one byte too far ends the test.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <new>

namespace gapless::test {

enum class Edge { kFront, kBack };

class GuardedBuffer {
 public:
  explicit GuardedBuffer(std::size_t most_bytes) {
    page_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    inside_ = (most_bytes + page_ - 1) / page_ * page_;
    void* base = mmap(nullptr, inside_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) throw std::bad_alloc();
    base_ = static_cast<std::byte*>(base);
    if (mprotect(base_ + page_, inside_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  }
  ~GuardedBuffer() { munmap(base_, inside_ + 2 * page_); }
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  // `bytes` of memory that begin behind the first guard, or end before the second.
  std::byte* place(std::int64_t bytes, Edge edge) const {
    return edge == Edge::kFront ? base_ + page_ : base_ + page_ + inside_ - bytes;
  }

 private:
  std::byte* base_;
  std::size_t page_, inside_;
};

}  // namespace gapless::test

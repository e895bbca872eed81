#include "mpi/staging.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>

#include "base/settings.hpp"
#include "mpi/per_thread.hpp"

namespace gapless::mpi {

namespace {

constexpr std::int64_t kSmallest = 64 << 10;
constexpr std::int64_t kHugePage = 2 << 20;
constexpr std::int64_t kDefaultCap = std::int64_t{1} << 30;

std::atomic<std::int64_t> mapped{0};

std::int64_t cap() noexcept {
  static const std::int64_t bytes = base::setting_bytes("GAPLESS_POOL_BYTES", kDefaultCap);
  return bytes;
}

bool take_from_cap(std::int64_t bytes) noexcept {
  if (mapped.fetch_add(bytes, std::memory_order_relaxed) + bytes <= cap()) return true;
  mapped.fetch_sub(bytes, std::memory_order_relaxed);
  return false;
}

std::int64_t rounded_up(std::int64_t bytes, std::int64_t unit) noexcept {
  return (bytes + unit - 1) / unit * unit;
}

// Straight from the kernel, not from malloc: the program's heap stays as it would be without the layer, and large
// buffers can start at a huge page.
char* map(std::int64_t bytes) noexcept {
  const std::int64_t spare = bytes >= kHugePage ? kHugePage : 0;
  void* const got = mmap(nullptr, static_cast<std::size_t>(bytes + spare), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) return nullptr;
  char* start = static_cast<char*>(got);
  if (spare != 0) {
    const auto address = reinterpret_cast<std::uintptr_t>(start);
    const std::int64_t before = static_cast<std::int64_t>((kHugePage - address % kHugePage) % kHugePage);
    if (before != 0) munmap(start, static_cast<std::size_t>(before));
    if (spare != before) munmap(start + before + bytes, static_cast<std::size_t>(spare - before));
    start += before;
    madvise(start, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);  // a wish; refused where there are none
  }
  return start;
}

struct Buffer {
  char* data = nullptr;
  std::int64_t capacity = 0;
  bool busy = false;

  void drop() noexcept {
    if (data != nullptr) {
      munmap(data, static_cast<std::size_t>(capacity));
      mapped.fetch_sub(capacity, std::memory_order_relaxed);
    }
    data = nullptr;
    capacity = 0;
  }

  bool grow(std::int64_t bytes) noexcept {
    const std::int64_t unit = bytes >= kHugePage ? kHugePage : kSmallest;
    const std::int64_t enough = rounded_up(bytes, unit);
    // Doubled, so that slowly growing messages do not map anew each time; exactly enough where the cap forbids that.
    const std::int64_t ample = std::max(enough, rounded_up(2 * capacity, unit));
    drop();
    for (const std::int64_t wanted : {ample, enough}) {
      if (!take_from_cap(wanted)) continue;
      data = map(wanted);
      if (data != nullptr) {
        capacity = wanted;
        return true;
      }
      mapped.fetch_sub(wanted, std::memory_order_relaxed);
    }
    return false;
  }
};

constexpr int kBuffers = 2;

struct Pool {
  Buffer buffers[kBuffers];
  ~Pool() {
    for (Buffer& buffer : buffers) buffer.drop();
  }
};

}  // namespace

bool Staging::reserve(std::int64_t bytes) noexcept {
  Pool* const pool = PerThread<Pool>::get();
  if (pool == nullptr || bytes < 0 || bytes > cap()) return false;
  for (int k = 0; k < kBuffers; ++k) {
    Buffer& buffer = pool->buffers[k];
    if (buffer.busy) continue;
    if (buffer.capacity < bytes && !buffer.grow(bytes)) return false;
    buffer.busy = true;
    data_ = buffer.data;
    index_ = k;
    return true;
  }
  return false;
}

void Staging::release() noexcept {
  if (index_ < 0) return;
  if (Pool* const pool = PerThread<Pool>::get(); pool != nullptr) pool->buffers[index_].busy = false;
  index_ = -1;
  data_ = nullptr;
}

std::int64_t staging_bytes() noexcept {
  return mapped.load(std::memory_order_relaxed);
}

}  // namespace gapless::mpi

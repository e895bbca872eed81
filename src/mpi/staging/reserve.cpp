#include "mpi/staging/reserve.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <mutex>

#include "base/immortal.hpp"
#include "base/pages.hpp"
#include "mpi/staging/mapping.hpp"

namespace gapless::mpi {

namespace {

struct Taken {
  std::int64_t from, to;
};

// Rarely used, hence plain: what is taken, in the order of addresses, searched from the beginning.
struct Arena {
  std::mutex mutex;  // never held across an MPI call
  char* data = nullptr;
  std::int64_t room = 0;               // [bytes] of address space
  std::atomic<std::int64_t> bytes{0};  // of it, counted on; changed under the lock
  std::array<Taken, 1024> taken;
  std::size_t count = 0;
};

Arena& arena() noexcept {
  return base::immortal<Arena>();
}

// True if memory may be refused when it is touched, or if address space is limited.
bool may_be_refused() noexcept {
  rlimit limit{};  // of writable memory
  if (is_address_space_limited() || getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) return true;
  char mode = '2';
  if (std::FILE* const file = std::fopen("/proc/sys/vm/overcommit_memory", "re"); file != nullptr) {
    mode = static_cast<char>(std::fgetc(file));
    std::fclose(file);
  }
  return mode == '2';
}

void* take(std::int64_t bytes) noexcept {
  Arena& all = arena();
  const std::lock_guard lock(all.mutex);
  if (bytes <= 0 || bytes > all.room || all.count == all.taken.size()) return nullptr;
  const std::int64_t needed = base::in_whole_pages(bytes);
  std::int64_t from = 0;
  std::size_t k = 0;
  for (; k < all.count && all.taken[k].from - from < needed; ++k) from = all.taken[k].to;
  if (k == all.count && all.room - from < needed) return nullptr;
  if (mprotect(all.data + from, static_cast<std::size_t>(needed), PROT_READ | PROT_WRITE) != 0) return nullptr;
  std::copy_backward(all.taken.begin() + k, all.taken.begin() + all.count, all.taken.begin() + all.count + 1);
  all.taken[k] = {from, from + needed};
  ++all.count;
  return all.data + from;
}

void give(void* data) noexcept {
  Arena& all = arena();
  const std::lock_guard lock(all.mutex);
  const std::int64_t from = static_cast<char*>(data) - all.data;
  auto* const end = all.taken.begin() + all.count;
  auto* const piece = std::find_if(all.taken.begin(), end, [from](const Taken& one) { return one.from == from; });
  discard(static_cast<char*>(data), piece->to - piece->from);
  mprotect(data, static_cast<std::size_t>(piece->to - piece->from), PROT_NONE);
  std::copy(piece + 1, end, piece);
  --all.count;
}

}  // namespace

bool reserve::open(std::int64_t bytes) noexcept {
  Arena& all = arena();
  const std::lock_guard lock(all.mutex);
  if (all.data != nullptr) return true;
  bytes = bytes / base::page_bytes() * base::page_bytes();
  if (bytes <= 0 || bytes > INT64_MAX - kMaxBuffers * base::page_bytes() || may_be_refused()) return false;
  // Each buffer is rounded up to pages, which who counts on `bytes` does not count.
  const std::int64_t room = bytes + kMaxBuffers * base::page_bytes();
  // Nobody can touch it (nor lock it in memory) until it is handed out.
  void* const data =
      mmap(nullptr, static_cast<std::size_t>(room), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return false;
  all.data = static_cast<char*>(data);
  all.room = room;
  all.bytes = bytes;
  return true;
}

std::int64_t reserve::size() noexcept {
  return arena().bytes.load(std::memory_order_relaxed);
}

bool AssuredStaging::reserve(std::int64_t bytes) noexcept {
  release();
  if (pooled_.reserve(bytes)) [[likely]]
    return true;
  reserved_ = take(bytes);
  return reserved_ != nullptr;
}

void AssuredStaging::release() noexcept {
  pooled_.release();
  if (reserved_ != nullptr) give(std::exchange(reserved_, nullptr));
}

}  // namespace gapless::mpi

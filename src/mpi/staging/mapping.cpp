#include "mpi/staging/mapping.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

namespace gapless::mpi {

namespace {

constexpr int kPrivate = MAP_PRIVATE | MAP_ANONYMOUS;

std::size_t size(std::int64_t bytes) noexcept {
  return static_cast<std::size_t>(bytes);
}

char* map(std::int64_t bytes, int protection, int flags) noexcept {
  void* const got = mmap(nullptr, size(bytes), protection, flags, -1, 0);
  return got == MAP_FAILED ? nullptr : static_cast<char*>(got);
}

char* map_aligned(std::int64_t bytes, int protection, int flags) noexcept {
  char* const got = map(bytes + kHugePage, protection, flags);
  if (got == nullptr) return nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(got);
  const std::int64_t before = static_cast<std::int64_t>((kHugePage - address % kHugePage) % kHugePage);
  if (before != 0) unmap(got, before);
  if (kHugePage != before) unmap(got + before + bytes, kHugePage - before);
  return got + before;
}

}  // namespace

bool is_address_space_limited() noexcept {
  rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

char* map_pages(std::int64_t bytes) noexcept {
  return map(bytes, PROT_READ | PROT_WRITE, kPrivate);
}

char* map_buffers(std::int64_t bytes) noexcept {
  if (bytes < kHugePage) return map_pages(bytes);
  char* const start = map_aligned(bytes, PROT_READ | PROT_WRITE, kPrivate);
  if (start != nullptr) madvise(start, size(bytes), MADV_HUGEPAGE);  // a wish; refused where there are none
  return start;
}

char* map_windows(std::int64_t count, std::int64_t block_bytes) noexcept {
  if (is_address_space_limited()) return nullptr;
  const std::int64_t bytes = count * window_bytes(block_bytes);
  // Without access at first: a program that locks all its future memory (mlockall) would get all these pages otherwise.
  char* const start = map_aligned(bytes, PROT_NONE, kPrivate | MAP_NORESERVE);
  if (start == nullptr) return nullptr;
  munlock(start, size(bytes));
  if (mprotect(start, size(bytes), PROT_READ | PROT_WRITE) != 0) {
    unmap(start, bytes);
    return nullptr;
  }
  // A small block alone on its huge page would take it all.
  madvise(start, size(bytes), block_bytes < kHugePage ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
  madvise(start, size(bytes), MADV_DONTDUMP);
  return start;
}

void unmap(char* start, std::int64_t bytes) noexcept {
  munmap(start, size(bytes));
}

void discard(char* start, std::int64_t bytes) noexcept {
  if (madvise(start, size(bytes), MADV_DONTNEED) == 0) return;
  munlock(start, size(bytes));  // what the program has locked with all the rest is not given back otherwise
  madvise(start, size(bytes), MADV_DONTNEED);
}

}  // namespace gapless::mpi

#include "property/sparse_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) (static_cast<void>(address), static_cast<void>(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) (static_cast<void>(address), static_cast<void>(bytes))
#endif

namespace gapless::test {

constexpr std::size_t kWord = 8;  // [bytes] what the address sanitizer can shut

std::int64_t SparseMemory::page_bytes() {
  static const std::int64_t bytes = sysconf(_SC_PAGESIZE);
  return bytes;
}

SparseMemory::SparseMemory(const std::vector<std::int64_t>& displacements, std::int64_t anchor, std::int64_t in_page) {
  const std::int64_t page = page_bytes();
  const auto [low, high] = std::minmax_element(displacements.begin(), displacements.end());
  const auto down = [&](std::int64_t at) { return (at >= 0 ? at : at - page + 1) / page * page; };
  // Displacements of pages are those congruent to this one; one page more on either side stays shut.
  const std::int64_t start = anchor - in_page;
  const auto page_of = [&](std::int64_t displacement) { return start + down(displacement - start); };
  first_ = page_of(*low) - page;
  bytes_ = static_cast<std::size_t>(page_of(*high) + 2 * page - first_);
  std::vector<bool> used(bytes_ / static_cast<std::size_t>(page));
  words_.resize(bytes_ / kWord);
  for (const std::int64_t at : displacements) {
    used[static_cast<std::size_t>((at - first_) / page)] = true;
    words_[static_cast<std::size_t>(at - first_) / kWord] = true;
  }

  void* base = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<std::byte*>(base);
  for (std::size_t i = 1; i + 1 < used.size(); ++i) {
    if (!used[i]) {
      ++holes_;
    } else if (used[i - 1]) {
      open_.back().second += static_cast<std::size_t>(page);
    } else {
      open_.emplace_back(i * static_cast<std::size_t>(page), page);
    }
  }
  for (const auto& [offset, bytes] : open_) {
    if (mprotect(base_ + offset, bytes, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  }
}

SparseMemory::~SparseMemory() {
  open_units();
  munmap(base_, bytes_);
}

std::byte* SparseMemory::origin() const {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(base_) - static_cast<std::uintptr_t>(first_));
}

void SparseMemory::fill(std::byte value) {
  for (const auto& [offset, bytes] : open_) std::memset(base_ + offset, static_cast<int>(value), bytes);
}

void SparseMemory::shut_units(std::int64_t unit_bytes) {
  const std::size_t unit = static_cast<std::size_t>(unit_bytes) / kWord;
  for (std::size_t i = 0; i < words_.size(); i += unit) {
    const auto first = words_.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(first, first + static_cast<std::ptrdiff_t>(unit), true) == first + static_cast<std::ptrdiff_t>(unit))
      ASAN_POISON_MEMORY_REGION(base_ + i * kWord, unit * kWord);
  }
}

void SparseMemory::open_units() {
  ASAN_UNPOISON_MEMORY_REGION(base_, bytes_);
}

std::int64_t SparseMemory::first_difference(const SparseMemory& other) const {
  for (const auto& [offset, bytes] : open_) {
    const std::byte* here = base_ + offset;
    if (std::memcmp(here, other.base_ + offset, bytes) == 0) continue;
    return first_ + static_cast<std::int64_t>(offset) +
           (std::mismatch(here, here + bytes, other.base_ + offset).first - here);
  }
  return kNone;
}

}  // namespace gapless::test

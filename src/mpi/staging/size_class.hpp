// The sizes that staging comes in, and how many buffers of each a thread keeps for itself.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/pages.hpp"

namespace gapless::mpi {

// Small: the powers of two from 256 bytes to 64 KB. Large: four steps a doubling, up to 1 TB, so that at most a fifth
// of a buffer is more than was asked for once the message is large against the unit that it is rounded to.
constexpr std::int64_t kSmallestBlock = 256;
constexpr std::int64_t kLargestSmall = 64 << 10;
constexpr std::int64_t kHugePage = 2 << 20;
constexpr std::int64_t kLargestBlock = std::int64_t{1} << 40;
constexpr int kSmallClasses = 9;
constexpr int kClasses = kSmallClasses + 4 * 24;

// Every size comes twice. An isolated block has a window of address space for itself, in which a library that writes
// past its end (Open MPI does when it truncates) meets nobody. It takes a page at least.
constexpr int kAllClasses = 2 * kClasses;
constexpr std::int64_t kSmallestIsolated = 4096;

constexpr bool is_isolated(int size_class) noexcept {
  return size_class >= kClasses;
}
constexpr int isolated(int size_class) noexcept {
  return size_class + kClasses;
}
constexpr int not_isolated(int size_class) noexcept {
  return is_isolated(size_class) ? size_class - kClasses : size_class;
}

constexpr std::int64_t class_bytes(int size_class) noexcept {
  size_class = not_isolated(size_class);
  if (size_class < kSmallClasses) return kSmallestBlock << size_class;
  const int step = size_class - kSmallClasses;
  return (kLargestSmall / 4 * (step % 4 + 5)) << (step / 4);
}

// The smallest class that holds `bytes`, 0 <= bytes <= kLargestBlock. Large ones are multiples of 64 KB, those of 2 MB
// or larger of a huge page: the steps in between are not used.
constexpr int class_of(std::int64_t bytes) noexcept {
  if (bytes <= kSmallestBlock) return 0;
  if (bytes <= kLargestSmall) return std::bit_width(static_cast<std::uint64_t>(bytes - 1)) - 8;
  const std::int64_t size = base::rounded_up(bytes, bytes < kHugePage ? kLargestSmall : kHugePage);
  const int doublings = std::bit_width(static_cast<std::uint64_t>(size - 1)) - 17;
  const std::int64_t quarter = kLargestSmall / 4 << doublings;
  return kSmallClasses + 4 * doublings + static_cast<int>((size - 1) / quarter) - 4;
}

constexpr int class_of(std::int64_t bytes, bool is_isolated) noexcept {
  return is_isolated ? isolated(class_of(std::max(bytes, kSmallestIsolated))) : class_of(bytes);
}

// Enough for a window of 64 small messages; two for the two sides of one call.
constexpr int kept_by_a_thread(int size_class) noexcept {
  constexpr std::int64_t kBytes = 256 << 10;
  return not_isolated(size_class) >= kSmallClasses
             ? 2
             : static_cast<int>(std::min<std::int64_t>(64, kBytes / class_bytes(size_class)));
}

// Where the slots of a class begin in a thread's array of them all.
constexpr std::array<int, kAllClasses + 1> kFirstSlot = [] {
  std::array<int, kAllClasses + 1> first{};
  for (int c = 0; c < kAllClasses; ++c) {
    first[static_cast<std::size_t>(c) + 1] = first[static_cast<std::size_t>(c)] + kept_by_a_thread(c);
  }
  return first;
}();

static_assert(class_of(257) == 1 && class_of(kLargestSmall) == kSmallClasses - 1);
static_assert(class_bytes(class_of(kLargestSmall + 1)) == 128 << 10);
static_assert(class_bytes(class_of((2 << 20) + 1)) == 4 << 20 && class_bytes(class_of((4 << 20) + 1)) == 6 << 20);
static_assert(class_of(kLargestBlock) == kClasses - 1 && class_bytes(kClasses - 1) == kLargestBlock);

}  // namespace gapless::mpi

// Copies of single runs. Everything in this folder is inlined into the kernels of an instruction set, or is a template
// over its Machine: a function shared by two sets would be compiled for one of them and called by both.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernel/kernel.hpp"

#define GAPLESS_INLINE __attribute__((always_inline)) inline

namespace gapless::kernel::generic {

// Copies a constant length with the fewest moves that stay inside the run, whatever the instruction set.
template <std::int64_t kBytes>
GAPLESS_INLINE void copy(char* dst, const char* src) {
  std::memcpy(dst, src, static_cast<std::size_t>(kBytes));
}

// Copies with two moves of one width, which overlap if the length is between the width and its double.
template <std::int64_t kWidth>
GAPLESS_INLINE void two(char* dst, const char* src, std::int64_t bytes) {
  copy<kWidth>(dst, src);
  copy<kWidth>(dst + bytes - kWidth, src + bytes - kWidth);
}

// Copies a long run: four vectors per iteration; the last vector overlaps the one before. bytes >= 32.
GAPLESS_INLINE void copy_long(char* dst, const char* src, std::int64_t bytes) {
  std::int64_t at = 0;
  for (; at + 128 <= bytes; at += 128) {
    copy<32>(dst + at, src + at);
    copy<32>(dst + at + 32, src + at + 32);
    copy<32>(dst + at + 64, src + at + 64);
    copy<32>(dst + at + 96, src + at + 96);
  }
  for (; at + 32 <= bytes; at += 32) copy<32>(dst + at, src + at);
  if (at < bytes) copy<32>(dst + bytes - 32, src + bytes - 32);
}

// Copies any length, with one branch for each doubling.
GAPLESS_INLINE void copy_any(char* dst, const char* src, std::int64_t bytes) {
  if (bytes > 64)
    copy_long(dst, src, bytes);
  else if (bytes >= 32)
    two<32>(dst, src, bytes);
  else if (bytes >= 16)
    two<16>(dst, src, bytes);
  else if (bytes >= 8)
    two<8>(dst, src, bytes);
  else if (bytes >= 4)
    two<4>(dst, src, bytes);
  else if (bytes >= 2)
    two<2>(dst, src, bytes);
  else if (bytes == 1)
    *dst = *src;
}

// The distance of an address from the start of its cache line [bytes].
GAPLESS_INLINE std::int64_t past_line(const void* address) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address) & (kLine - 1));
}

GAPLESS_INLINE std::int64_t least(std::int64_t a, std::int64_t b) {
  return a < b ? a : b;
}

// Prefetches into the second-level cache: the first level has too few outstanding misses to hide the memory's latency.
GAPLESS_INLINE void prefetch(const void* address) {
  __builtin_prefetch(address, 0, 2);
}
// Prefetches into the first-level cache, for few lines that are needed soon: the address `count` strides from `first`,
// which may be outside the message, and outside what a pointer may hold.
GAPLESS_INLINE void prefetch_near(const char* first, std::int64_t count, std::int64_t stride) {
  const std::uintptr_t distance = static_cast<std::uintptr_t>(count) * static_cast<std::uintptr_t>(stride);
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(first) + distance), 0, 3);
}

// Prefetches the lines that hold the first and the last byte of a run.
GAPLESS_INLINE void prefetch_ends(const char* run, std::int64_t bytes) {
  prefetch(run);
  prefetch(run + bytes - 1);
}

}  // namespace gapless::kernel::generic

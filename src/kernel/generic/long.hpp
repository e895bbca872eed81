// Long runs. What copies them best depends on where they are: in the first cache the widest vectors there are; beyond
// it, and where the processor is good at it, its own copying of strings, which need not read the lines that it fills.
#pragma once

#include "kernel/generic/bytes.hpp"

namespace gapless::kernel::generic {

// The same lengths, with what else the machine has: vectors of more than 32 bytes. bytes >= 64.
template <class M>
GAPLESS_INLINE void copy_wide(char* dst, const char* src, std::int64_t bytes) {
  if constexpr (requires { M::copy_wide(dst, src, bytes); })
    M::copy_wide(dst, src, bytes);
  else
    copy_long(dst, src, bytes);
}

// Shorter runs end before wider vectors make up for the lines that they cross [bytes].
inline constexpr std::int64_t kLeastWide = 768;
// Shorter strings cost more to begin than they save; a single one among others may be half as long [bytes].
inline constexpr std::int64_t kLeastString = 2048;

GAPLESS_INLINE void copy_string(char* dst, const char* src, std::int64_t bytes) {
#if defined(__x86_64__)
  asm volatile("rep movsb" : "+D"(dst), "+S"(src), "+c"(bytes) : : "memory");
#else
  copy_long(dst, src, bytes);
#endif
}

// Calls each(copy) with what copies runs that are `run` bytes long on average, 64 at least, in a transfer of `bytes`.
// apart: strings may be worth it. Not where runs are written whose gaps leave no line out: there the processor reads
// ahead what will be written, and vectors are faster.
template <class M, class Each>
GAPLESS_INLINE void with_long_copy(std::int64_t run, std::int64_t bytes, bool apart, const Each& each) {
  if (run >= kLeastWide && bytes <= kMostNear)
    each([](char* dst, const char* src, std::int64_t n) __attribute__((always_inline)) { copy_wide<M>(dst, src, n); });
  else if (kCopiesStrings && apart && run >= kLeastString)
    each([](char* dst, const char* src, std::int64_t n) __attribute__((always_inline)) {
      if (n < kLeastString / 2)
        copy_long(dst, src, n);
      else
        copy_string(dst, src, n);
    });
  else
    each([](char* dst, const char* src, std::int64_t n) __attribute__((always_inline)) { copy_long(dst, src, n); });
}

template <class M>
void near_copy(char* dst, const char* src, std::int64_t bytes) noexcept {
  copy_wide<M>(dst, src, bytes);
}

}  // namespace gapless::kernel::generic

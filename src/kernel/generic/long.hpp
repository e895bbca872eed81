// Long runs. The best copy depends on where they are: in the first-level cache, the widest vectors; beyond it, on
// processors that are good at it, the string instruction, which need not read the lines that it fills.
#pragma once

#include "kernel/generic/bytes.hpp"

namespace gapless::kernel::generic {

// Copies with vectors of more than 32 bytes, if the machine has them. bytes >= 64.
template <class M>
GAPLESS_INLINE void copy_wide(char* dst, const char* src, std::int64_t bytes) {
  if constexpr (requires { M::copy_wide(dst, src, bytes); })
    M::copy_wide(dst, src, bytes);
  else
    copy_long(dst, src, bytes);
}

// Shorter runs end before wider vectors make up for the lines that they split [bytes].
inline constexpr std::int64_t kMinWide = 768;
// Shorter string copies cost more to start than they save; a single one among others may be half as long [bytes].
inline constexpr std::int64_t kMinString = 2048;

GAPLESS_INLINE void copy_string(char* dst, const char* src, std::int64_t bytes) {
#if defined(__x86_64__)
  asm volatile("rep movsb" : "+D"(dst), "+S"(src), "+c"(bytes) : : "memory");
#else
  copy_long(dst, src, bytes);
#endif
}

// Calls each(copy) with the best copy for runs of `run` bytes on average, 64 or more, in a transfer of `bytes`.
// `apart`: string copies may pay. They do not if runs are written whose gaps contain no whole line: there the processor
// prefetches what will be written, and vectors are faster.
template <class M, class Each>
GAPLESS_INLINE void with_long_copy(std::int64_t run, std::int64_t bytes, bool apart, const Each& each) {
  if (run >= kMinWide && bytes <= kMaxNear)
    each([](char* dst, const char* src, std::int64_t n) __attribute__((always_inline)) { copy_wide<M>(dst, src, n); });
  else if (kCopiesStrings && apart && run >= kMinString)
    each([](char* dst, const char* src, std::int64_t n) __attribute__((always_inline)) {
      if (n < kMinString / 2 || crawls(dst, src))
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

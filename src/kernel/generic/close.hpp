// Packing short blocks that lie close to each other: a gap shorter than a line leaves no line of the row untouched, so
// the gaps may be read, and whole vectors be loaded and shuffled together. Each function packs the first blocks of a
// row and returns how many; it reads up to the end of the row, `count` blocks, and never beyond.
#pragma once

#include "kernel/generic/bytes.hpp"

namespace gapless::kernel::generic {

using Words [[gnu::vector_size(16)]] = std::int32_t;

GAPLESS_INLINE Words load_words(const char* src) {
  Words words;
  std::memcpy(&words, src, sizeof words);
  return words;
}

GAPLESS_INLINE void store_words(char* dst, Words words) {
  std::memcpy(dst, &words, sizeof words);
}

// Words a..d of the eight that two vectors hold.
template <int a, int b, int c, int d>
GAPLESS_INLINE Words shuffled(Words low, Words high) {
#if defined(__clang__)
  return __builtin_shufflevector(low, high, a, b, c, d);
#else
  return __builtin_shuffle(low, high, Words{a, b, c, d});
#endif
}

// Whether a row may be packed so at all.
GAPLESS_INLINE bool is_close(std::int64_t block, std::int64_t stride) {
  return stride > block && stride - block < kLine;
}

// Four blocks of 12 bytes are three vectors. A load takes the word behind its block along, so one block stays.
GAPLESS_INLINE std::int64_t close_pack12(char* __restrict__ dst, const char* __restrict__ src, std::int64_t count,
                                         std::int64_t stride) {
  std::int64_t done = 0;
  for (; done + 4 < count; done += 4, dst += 48, src += 4 * stride) {
    const Words first = load_words(src), second = load_words(src + stride), third = load_words(src + 2 * stride),
                fourth = load_words(src + 3 * stride);
    store_words(dst, shuffled<0, 1, 2, 4>(first, second));
    store_words(dst + 16, shuffled<1, 2, 4, 5>(second, third));
    store_words(dst + 32, shuffled<2, 4, 5, 6>(third, fourth));
  }
  return done;
}

// Words at the two strides that the shuffles of four words know.
GAPLESS_INLINE std::int64_t close_pack4(char* __restrict__ dst, const char* __restrict__ src, std::int64_t count,
                                        std::int64_t stride) {
  std::int64_t done = 0;
  if (stride == 8) {
    for (; done + 4 < count; done += 4, dst += 16, src += 32)
      store_words(dst, shuffled<0, 2, 4, 6>(load_words(src), load_words(src + 16)));
  } else if (stride == 12) {
    for (; done + 4 < count; done += 4, dst += 16, src += 48) {
      const Words ends = shuffled<0, 3, 0, 3>(load_words(src), load_words(src));
      const Words rest = shuffled<2, 5, 2, 5>(load_words(src + 16), load_words(src + 32));
      store_words(dst, shuffled<0, 1, 4, 5>(ends, rest));
    }
  }
  return done;
}

template <class M, std::int64_t kBlock>
GAPLESS_INLINE std::int64_t close_pack(char* dst, const char* src, std::int64_t count, std::int64_t stride) {
  if (!is_close(kBlock, stride)) return 0;
  if constexpr (kBlock == 12)
    return close_pack12(dst, src, count, stride);
  else if constexpr (kBlock == 4 || kBlock == 8)
    return M::template close_pack<kBlock>(dst, src, count, stride);
  else
    return 0;
}

}  // namespace gapless::kernel::generic

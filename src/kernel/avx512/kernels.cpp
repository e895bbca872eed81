// Vectors of 64 bytes, where they pay: a line in one store, and permutations of two vectors at once. Plain copies stay
// with 32 bytes, which cross fewer lines.
#include <immintrin.h>

#include "kernel/generic/set.hpp"
#include "kernel/sets.hpp"

namespace gapless::kernel::avx512 {
namespace {

GAPLESS_INLINE __m512i load(const char* src) {
  return _mm512_loadu_si512(src);
}

// kWindows vectors of user memory hold the words of one packed vector; each joins its words to those before it.
template <std::int64_t kWindows>
GAPLESS_INLINE void windows(char* dst, const char* src, const std::int32_t* word, std::int64_t vectors,
                            std::int64_t step) {
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i words = _mm512_load_si512(word);
  const __m512i window = _mm512_srli_epi32(words, 4);
  const __m512i in_window = _mm512_and_si512(words, _mm512_set1_epi32(15));
  // From the second window on: of two vectors, what is there (0 to 15), and the window (16 to 31).
  __m512i take[kWindows];
  for (int w = 1; w < kWindows; ++w) {
    const __mmask16 here = _mm512_cmpeq_epi32_mask(window, _mm512_set1_epi32(w));
    take[w] = _mm512_mask_add_epi32(w == 1 ? in_window : lane, here, in_window, _mm512_set1_epi32(16));
  }
  for (; vectors > 0; --vectors, dst += 64, src += step) {
    __m512i packed = load(src);
    if constexpr (kWindows == 1) packed = _mm512_permutexvar_epi32(in_window, packed);
#pragma GCC unroll 4
    for (std::int64_t w = 1; w < kWindows; ++w) packed = _mm512_permutex2var_epi32(packed, take[w], load(src + 64 * w));
    _mm512_storeu_si512(dst, packed);
  }
}

struct Machine {
  static GAPLESS_INLINE void stream16(char* dst, generic::Words words) {
    __m128i vector;
    std::memcpy(&vector, &words, sizeof vector);
    _mm_stream_si128(reinterpret_cast<__m128i*>(dst), vector);
  }
  static GAPLESS_INLINE void stream_line(char* dst, const char* src) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(dst), load(src));
  }
  static GAPLESS_INLINE void fence() { _mm_sfence(); }

  template <std::int64_t kWords>
  static GAPLESS_INLINE std::int64_t shuffle(char* dst, const char* src, const std::int32_t* words, std::int64_t count,
                                             std::int64_t stride) {
    const generic::Shuffle<16, kWords> shuffle(words, count, stride);
    const std::int64_t step = shuffle.kEach * stride;
    switch (shuffle.windows) {
      case 1:
        windows<1>(dst, src, shuffle.word, shuffle.vectors, step);
        break;
      case 2:
        windows<2>(dst, src, shuffle.word, shuffle.vectors, step);
        break;
      case 3:
        windows<3>(dst, src, shuffle.word, shuffle.vectors, step);
        break;
      case 4:
        windows<4>(dst, src, shuffle.word, shuffle.vectors, step);
        break;
      default:
        return 0;
    }
    return shuffle.vectors * shuffle.kEach;
  }

  template <std::int64_t kBlock, bool kStream>
  static GAPLESS_INLINE void line_square(const generic::Square& square) {
    if constexpr (kBlock == 8)
      eight<kStream>(square);
    else
      generic::line_square<Machine, kBlock, kStream>(square);
  }

 private:
  template <bool kStream>
  static GAPLESS_INLINE void put(char* dst, __m512i vector) {
    if constexpr (kStream)
      _mm512_stream_si512(reinterpret_cast<__m512i*>(dst), vector);
    else
      _mm512_storeu_si512(dst, vector);
  }

  // Eight by eight double words: pairs of rows are interleaved, then pairs of pairs, then the halves are put together.
  template <bool kStream>
  static GAPLESS_INLINE void eight(const generic::Square& s) {
    __m512i row[8], pair[8], four[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) row[i] = load(s.src + i * s.src_stride);
#pragma GCC unroll 4
    for (int i = 0; i < 8; i += 2) {
      pair[i] = _mm512_unpacklo_epi64(row[i], row[i + 1]);
      pair[i + 1] = _mm512_unpackhi_epi64(row[i], row[i + 1]);
    }
    // Columns 0|2|4|6 of rows i and i + 1 are in the four lanes of pair[i], columns 1|3|5|7 in those of pair[i + 1].
#pragma GCC unroll 2
    for (int half = 0; half < 8; half += 4)
#pragma GCC unroll 2
      for (int odd = 0; odd < 2; ++odd) {
        four[half + odd] = _mm512_shuffle_i64x2(pair[half + odd], pair[half + 2 + odd], 0x88);
        four[half + 2 + odd] = _mm512_shuffle_i64x2(pair[half + odd], pair[half + 2 + odd], 0xdd);
      }
    // four[half + odd]: lanes 0 and 2 of both pairs, columns odd and odd + 4; four[half + 2 + odd]: odd + 2 and odd
    // + 6.
#pragma GCC unroll 4
    for (int column = 0; column < 4; ++column) {
      put<kStream>(s.dst + column * s.dst_stride, _mm512_shuffle_i64x2(four[column], four[4 + column], 0x88));
      put<kStream>(s.dst + (column + 4) * s.dst_stride, _mm512_shuffle_i64x2(four[column], four[4 + column], 0xdd));
    }
  }
};

}  // namespace

extern constexpr Set kSet = generic::Kernels<Machine>::set("avx512");

}  // namespace gapless::kernel::avx512

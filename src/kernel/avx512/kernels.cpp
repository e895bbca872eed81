// Vectors of 64 bytes, where they pay: a line in one store, permutations of two vectors at once, masked stores of
// words, and long runs in the first-level cache. Other copies use 32 bytes, which cross fewer lines; the passes of
// patterns are those of AVX2.
#include <immintrin.h>

#include "kernel/generic/set.hpp"
#include "kernel/sets.hpp"

namespace gapless::kernel::avx512 {
namespace {

GAPLESS_INLINE __m512i load(const char* src) {
  return _mm512_loadu_si512(src);
}

// kWindows vectors of user memory hold the words of one packed vector; each adds its words to those before it.
template <std::int64_t kWindows>
GAPLESS_INLINE void windows(char* dst, const char* src, __m512i words, std::int64_t vectors, std::int64_t step) {
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i window = _mm512_srli_epi32(words, 4);
  const __m512i in_window = _mm512_and_si512(words, _mm512_set1_epi32(15));
  // For the second window and later ones: lanes of two vectors, the one so far (0 to 15) and the window (16 to 31).
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

// kWindows vectors of user memory receive the words of one packed vector, in their order, and nothing between them.
template <std::int64_t kWindows>
GAPLESS_INLINE void scatter_windows(char* dst, const char* src, __m512i words, std::int64_t vectors,
                                    std::int64_t step) {
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i window = _mm512_srli_epi32(words, 4);
  const __m512i bit = _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_and_si512(words, _mm512_set1_epi32(15)));
  __mmask16 stored[kWindows];
  __m512i take[kWindows];
  int before = 0;  // words of the windows so far
  for (int w = 0; w < kWindows; ++w) {
    const __mmask16 here = _mm512_cmpeq_epi32_mask(window, _mm512_set1_epi32(w));
    stored[w] = static_cast<__mmask16>(_mm512_mask_reduce_or_epi32(here, bit));
    take[w] = _mm512_maskz_expand_epi32(stored[w], _mm512_add_epi32(lane, _mm512_set1_epi32(before)));
    before += __builtin_popcount(stored[w]);
  }
  for (; vectors > 0; --vectors, dst += step, src += 64) {
    const __m512i packed = load(src);
#pragma GCC unroll 4
    for (std::int64_t w = 0; w < kWindows; ++w)
      _mm512_mask_storeu_epi32(dst + 64 * w, stored[w], _mm512_permutexvar_epi32(take[w], packed));
  }
}

// The word of user memory that goes into each lane of a packed vector.
template <std::int64_t kWords>
GAPLESS_INLINE __m512i word_of_lane(const std::int32_t* words, std::int64_t stride) {
  constexpr auto of = generic::repetition<kWords>;
  const __m512i repetition = _mm512_setr_epi32(of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7), of(8), of(9),
                                               of(10), of(11), of(12), of(13), of(14), of(15));
  return _mm512_add_epi32(_mm512_loadu_si512(words),
                          _mm512_mullo_epi32(repetition, _mm512_set1_epi32(static_cast<int>(stride / 4))));
}

struct Machine {
  template <std::int64_t kWords>
  static constexpr generic::FirstWords<kWords> kFirstWords{};

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
    const __m512i word = word_of_lane<kWords>(words, stride);
    switch (shuffle.windows) {
      case 1:
        windows<1>(dst, src, word, shuffle.vectors, step);
        break;
      case 2:
        windows<2>(dst, src, word, shuffle.vectors, step);
        break;
      case 3:
        windows<3>(dst, src, word, shuffle.vectors, step);
        break;
      case 4:
        windows<4>(dst, src, word, shuffle.vectors, step);
        break;
      default:
        return 0;
    }
    return shuffle.vectors * shuffle.kEach;
  }

  // More than three windows take as long as the stores that they replace (kMostScattered).
  template <std::int64_t kWords>
  static GAPLESS_INLINE std::int64_t scatter(char* dst, const char* src, const std::int32_t* words, std::int64_t count,
                                             std::int64_t stride) {
    constexpr std::int64_t kEach = 16 / kWords;
    const std::int64_t windows = (words[kWords - 1] + (kEach - 1) * (stride / 4)) / 16 + 1, vectors = count / kEach;
    if (windows > 3) return 0;
    const __m512i word = word_of_lane<kWords>(words, stride);
    const std::int64_t step = kEach * stride;
    if (windows == 1)
      scatter_windows<1>(dst, src, word, vectors, step);
    else if (windows == 2)
      scatter_windows<2>(dst, src, word, vectors, step);
    else
      scatter_windows<3>(dst, src, word, vectors, step);
    return vectors * kEach;
  }

  static GAPLESS_INLINE void copy_wide(char* dst, const char* src, std::int64_t bytes) {
    std::int64_t at = 0;
    for (; at + 256 <= bytes; at += 256) {
#pragma GCC unroll 4
      for (std::int64_t part = at; part < at + 256; part += 64) _mm512_storeu_si512(dst + part, load(src + part));
    }
    for (; at + 64 <= bytes; at += 64) _mm512_storeu_si512(dst + at, load(src + at));
    if (at < bytes) _mm512_storeu_si512(dst + bytes - 64, load(src + bytes - 64));
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

extern constexpr Set kSet = generic::Kernels<Machine>::set("avx512", avx2::pass_for);

}  // namespace gapless::kernel::avx512

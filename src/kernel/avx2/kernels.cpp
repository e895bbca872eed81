// Vectors of 32 bytes.
#include <immintrin.h>

#include "kernel/generic/set.hpp"
#include "kernel/sets.hpp"

namespace gapless::kernel::avx2 {
namespace {

GAPLESS_INLINE __m256i load(const char* src) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(src));
}

// kWindows vectors of user memory hold the words of one packed vector; each is permuted and blended into its lanes.
template <std::int64_t kWindows>
GAPLESS_INLINE void windows(char* dst, const char* src, __m256i words, std::int64_t vectors, std::int64_t step) {
  const __m256i window = _mm256_srli_epi32(words, 3);
  __m256i takes[kWindows];
  for (int w = 0; w < kWindows; ++w) takes[w] = _mm256_cmpeq_epi32(window, _mm256_set1_epi32(w));
  for (; vectors > 0; --vectors, dst += 32, src += step) {
    __m256i packed = _mm256_permutevar8x32_epi32(load(src), words);
#pragma GCC unroll 4
    for (std::int64_t w = 1; w < kWindows; ++w)
      packed = _mm256_blendv_epi8(packed, _mm256_permutevar8x32_epi32(load(src + 32 * w), words), takes[w]);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst), packed);
  }
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
    const __m256i low = load(src), high = load(src + 32);
    _mm256_stream_si256(reinterpret_cast<__m256i*>(dst), low);
    _mm256_stream_si256(reinterpret_cast<__m256i*>(dst + 32), high);
  }
  static GAPLESS_INLINE void fence() { _mm_sfence(); }

  template <std::int64_t kWords>
    requires(kWords <= 8)
  static GAPLESS_INLINE std::int64_t shuffle(char* dst, const char* src, const std::int32_t* words, std::int64_t count,
                                             std::int64_t stride) {
    const generic::Shuffle<8, kWords> shuffle(words, count, stride);
    const std::int64_t step = shuffle.kEach * stride;
    constexpr auto of = generic::repetition<kWords>;
    const __m256i repetition = _mm256_setr_epi32(of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7));
    // The word of user memory that goes into each lane.
    const __m256i word =
        _mm256_add_epi32(load(reinterpret_cast<const char*>(words)),
                         _mm256_mullo_epi32(repetition, _mm256_set1_epi32(static_cast<int>(stride / 4))));
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
      default:
        return 0;
    }
    return shuffle.vectors * shuffle.kEach;
  }

  // For more words than a vector holds.
  template <std::int64_t kWords>
  static GAPLESS_INLINE std::int64_t shuffle(char*, const char*, const std::int32_t*, std::int64_t, std::int64_t) {
    return 0;
  }

  template <std::int64_t kBlock, bool kStream>
  static GAPLESS_INLINE void line_square(const generic::Square& square) {
    if constexpr (kBlock != 8) {
      generic::line_square<Machine, kBlock, kStream>(square);
    } else {
#pragma GCC unroll 2
      for (std::int64_t r = 0; r < 8; r += 4)
#pragma GCC unroll 2
        for (std::int64_t c = 0; c < 8; c += 4) four<kStream>(square.at<8>(r, c));
    }
  }

 private:
  template <bool kStream>
  static GAPLESS_INLINE void put(char* dst, __m256i vector) {
    if constexpr (kStream)
      _mm256_stream_si256(reinterpret_cast<__m256i*>(dst), vector);
    else
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst), vector);
  }

  // Four by four double words.
  template <bool kStream>
  static GAPLESS_INLINE void four(const generic::Square& s) {
    const __m256i a = load(s.src), b = load(s.src + s.src_stride), c = load(s.src + 2 * s.src_stride),
                  d = load(s.src + 3 * s.src_stride);
    const __m256i ab = _mm256_unpacklo_epi64(a, b), ba = _mm256_unpackhi_epi64(a, b);
    const __m256i cd = _mm256_unpacklo_epi64(c, d), dc = _mm256_unpackhi_epi64(c, d);
    put<kStream>(s.dst, _mm256_permute2x128_si256(ab, cd, 0x20));
    put<kStream>(s.dst + s.dst_stride, _mm256_permute2x128_si256(ba, dc, 0x20));
    put<kStream>(s.dst + 2 * s.dst_stride, _mm256_permute2x128_si256(ab, cd, 0x31));
    put<kStream>(s.dst + 3 * s.dst_stride, _mm256_permute2x128_si256(ba, dc, 0x31));
  }
};

}  // namespace

CopyMoves pass_for(const MoveCounts& counts) noexcept {
  return generic::pass_for<Machine>(counts);
}

extern constexpr Set kSet = generic::Kernels<Machine>::set("avx2", pass_for);

}  // namespace gapless::kernel::avx2

// Vectors of 32 bytes.
#include <immintrin.h>

#include "kernel/generic/set.hpp"
#include "kernel/sets.hpp"

namespace gapless::kernel::avx2 {
namespace {

GAPLESS_INLINE __m256i load(const char* src) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(src));
}

// kWindows vectors of user memory hold the blocks of one packed vector; each brings its words to their lanes.
template <std::int64_t kWindows>
GAPLESS_INLINE std::int64_t windows(char* dst, const char* src, std::int64_t count, std::int64_t stride,
                                    std::int64_t block) {
  const auto words = static_cast<int>(block / 4);
  const int shift = words / 2;
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i of_block = _mm256_and_si256(lane, _mm256_set1_epi32(words - 1));
  // The word of user memory that each packed word is, counted from the first block.
  const __m256i word = _mm256_add_epi32(
      _mm256_mullo_epi32(_mm256_srli_epi32(lane, shift), _mm256_set1_epi32(static_cast<int>(stride / 4))), of_block);
  const __m256i window = _mm256_srli_epi32(word, 3);
  __m256i takes[kWindows];
  for (int w = 0; w < kWindows; ++w) takes[w] = _mm256_cmpeq_epi32(window, _mm256_set1_epi32(w));
  const std::int64_t blocks = 32 / block;
  const std::int64_t readable = (count - 1) * stride + block - kWindows * 32;
  std::int64_t done = 0;
  for (; done + blocks < count && done * stride <= readable; done += blocks, dst += 32, src += blocks * stride) {
    __m256i packed = _mm256_permutevar8x32_epi32(load(src), word);
#pragma GCC unroll 4
    for (std::int64_t w = 1; w < kWindows; ++w)
      packed = _mm256_blendv_epi8(packed, _mm256_permutevar8x32_epi32(load(src + 32 * w), word), takes[w]);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst), packed);
  }
  return done;
}

struct Machine {
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

  template <std::int64_t kBlock>
  static GAPLESS_INLINE std::int64_t close_pack(char* dst, const char* src, std::int64_t count, std::int64_t stride) {
    if (stride % 4 != 0) return 0;
    if (stride == 2 * kBlock) return windows<2>(dst, src, count, stride, kBlock);
    if (stride <= 3 * kBlock && kBlock == 4) return windows<3>(dst, src, count, stride, kBlock);
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

extern constexpr Set kSet = generic::Kernels<Machine>::set("avx2");

}  // namespace gapless::kernel::avx2

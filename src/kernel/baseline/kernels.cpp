// Kernels that every machine of an architecture runs: SSE2 on x86-64, plain C++ elsewhere.
#include "kernel/generic/set.hpp"
#include "kernel/sets.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace gapless::kernel::baseline {
namespace {

struct Machine {
  static GAPLESS_INLINE void stream16(char* dst, generic::Words words) {
#if defined(__SSE2__)
    __m128i vector;
    std::memcpy(&vector, &words, sizeof vector);
    _mm_stream_si128(reinterpret_cast<__m128i*>(dst), vector);
#else
    generic::store_words(dst, words);
#endif
  }
  static GAPLESS_INLINE void stream_line(char* dst, const char* src) {
#pragma GCC unroll 4
    for (std::int64_t at = 0; at < kLine; at += 16) stream16(dst + at, generic::load_words(src + at));
  }
  static GAPLESS_INLINE void fence() {
#if defined(__SSE2__)
    _mm_sfence();
#endif
  }
  template <std::int64_t kWords>
  static GAPLESS_INLINE std::int64_t shuffle(char* dst, const char* src, const std::int32_t*, std::int64_t count,
                                             std::int64_t stride) {
    return kWords == 1 ? generic::close_pack4(dst, src, count, stride) : 0;
  }
  template <std::int64_t kBlock, bool kStream>
  static GAPLESS_INLINE void line_square(const generic::Square& square) {
    generic::line_square<Machine, kBlock, kStream>(square);
  }
};

}  // namespace

extern constexpr Set kSet = generic::Kernels<Machine>::set("baseline");

}  // namespace gapless::kernel::baseline

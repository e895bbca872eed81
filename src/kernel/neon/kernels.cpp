// AArch64: non-temporal stores of pairs of vectors, and loads that deinterleave words.
#include <arm_neon.h>

#include "kernel/generic/set.hpp"
#include "kernel/sets.hpp"

namespace gapless::kernel::neon {
namespace {

struct Machine {
  template <std::int64_t kWords>
  static constexpr generic::FirstWords<kWords> kFirstWords{};

  static GAPLESS_INLINE void stream16(char* dst, generic::Words words) { generic::store_words(dst, words); }

  static GAPLESS_INLINE void stream_line(char* dst, const char* src) {
    const uint8x16x4_t line = vld1q_u8_x4(reinterpret_cast<const std::uint8_t*>(src));
    asm volatile(
        "stnp %q[a], %q[b], [%[to]]\n\t"
        "stnp %q[c], %q[d], [%[to], #32]"
        :
        : [a] "w"(line.val[0]), [b] "w"(line.val[1]), [c] "w"(line.val[2]), [d] "w"(line.val[3]), [to] "r"(dst)
        : "memory");
  }
  // stnp stores are ordered like any others.
  static GAPLESS_INLINE void fence() {}

  // A load deinterleaves 2, 3 or 4 vectors of words. It reads up to the next block, so the last block is left.
  template <std::int64_t kWords>
  static GAPLESS_INLINE std::int64_t shuffle(char* dst, const char* src, const std::int32_t* words, std::int64_t count,
                                             std::int64_t stride) {
    std::int64_t done = 0;
    if constexpr (kWords == 1) {
      const std::int64_t apart = stride == 8 ? 2 : stride == 12 ? 3 : stride == 16 ? 4 : 0;
      if (apart == 0) return 0;
      for (; done + 4 < count; done += 4, dst += 16, src += 4 * stride) {
        const auto* from = reinterpret_cast<const std::uint32_t*>(src);
        const uint32x4_t words = apart == 2   ? vld2q_u32(from).val[0]
                                 : apart == 3 ? vld3q_u32(from).val[0]
                                              : vld4q_u32(from).val[0];
        vst1q_u32(reinterpret_cast<std::uint32_t*>(dst), words);
      }
    } else if (kWords == 2 && words[1] == 1 && stride == 16) {
      for (; done + 2 < count; done += 2, dst += 16, src += 32)
        vst1q_u64(reinterpret_cast<std::uint64_t*>(dst), vld2q_u64(reinterpret_cast<const std::uint64_t*>(src)).val[0]);
    }
    return done;
  }

  template <std::int64_t kBlock, bool kStream>
  static GAPLESS_INLINE void line_square(const generic::Square& square) {
    generic::line_square<Machine, kBlock, kStream>(square);
  }
};

}  // namespace

extern constexpr Set kSet = generic::Kernels<Machine>::set("neon");

}  // namespace gapless::kernel::neon

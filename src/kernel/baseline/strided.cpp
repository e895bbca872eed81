#include <cstddef>
#include <cstring>

#include "kernel/baseline/baseline.hpp"

namespace gapless::kernel::baseline {
namespace {

// One row with both strides known to the compiler where they can be: a dense side steps by the block itself.
// A constant-length memcpy is the widest set of moves that stays inside the block.
template <std::int64_t kBlock>
inline void row(char* __restrict__ dst, const char* __restrict__ src, std::int64_t count, std::int64_t dst_step,
                std::int64_t src_step) {
#pragma GCC unroll 4
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(dst, src, kBlock);
    dst += dst_step;
    src += src_step;
  }
}

template <std::int64_t kBlock>
void strided(char* dst, const char* src, const Nest& nest) noexcept {
  for (std::int64_t i = 0; i < nest.outer_count; ++i, dst += nest.dst_outer, src += nest.src_outer) {
    if (nest.dst_inner == kBlock)
      row<kBlock>(dst, src, nest.inner_count, kBlock, nest.src_inner);
    else if (nest.src_inner == kBlock)
      row<kBlock>(dst, src, nest.inner_count, nest.dst_inner, kBlock);
    else
      row<kBlock>(dst, src, nest.inner_count, nest.dst_inner, nest.src_inner);
  }
}

void strided_any(char* dst, const char* src, const Nest& nest) noexcept {
  for (std::int64_t i = 0; i < nest.outer_count; ++i, dst += nest.dst_outer, src += nest.src_outer) {
    char* to = dst;
    const char* from = src;
    for (std::int64_t j = 0; j < nest.inner_count; ++j, to += nest.dst_inner, from += nest.src_inner)
      std::memcpy(to, from, static_cast<std::size_t>(nest.block));
  }
}

#define GAPLESS_STRIDED(block) {"strided_" #block, block, strided<block>}

constexpr StridedKernel kStrided[] = {
    GAPLESS_STRIDED(1),
    GAPLESS_STRIDED(2),
    GAPLESS_STRIDED(3),
    GAPLESS_STRIDED(4),
    GAPLESS_STRIDED(5),
    GAPLESS_STRIDED(6),
    GAPLESS_STRIDED(7),
    GAPLESS_STRIDED(8),
    GAPLESS_STRIDED(9),
    GAPLESS_STRIDED(10),
    GAPLESS_STRIDED(11),
    GAPLESS_STRIDED(12),
    GAPLESS_STRIDED(13),
    GAPLESS_STRIDED(14),
    GAPLESS_STRIDED(15),
    GAPLESS_STRIDED(16),
    GAPLESS_STRIDED(20),
    GAPLESS_STRIDED(24),
    GAPLESS_STRIDED(28),
    GAPLESS_STRIDED(32),
    GAPLESS_STRIDED(36),
    GAPLESS_STRIDED(40),
    GAPLESS_STRIDED(44),
    GAPLESS_STRIDED(48),
    GAPLESS_STRIDED(52),
    GAPLESS_STRIDED(56),
    GAPLESS_STRIDED(60),
    GAPLESS_STRIDED(64),
    {"strided_any", 0, strided_any},
};
#undef GAPLESS_STRIDED

}  // namespace

std::span<const StridedKernel> strided_kernels() noexcept {
  return kStrided;
}

}  // namespace gapless::kernel::baseline

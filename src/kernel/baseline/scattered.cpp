#include <cstddef>
#include <cstring>

#include "kernel/baseline/baseline.hpp"

namespace gapless::kernel::baseline {
namespace {

template <std::int64_t kBlock>
void gather(char* __restrict__ dst, const char* __restrict__ src, const std::int64_t* offsets, std::int64_t count,
            std::int64_t) noexcept {
#pragma GCC unroll 4
  for (std::int64_t i = 0; i < count; ++i) std::memcpy(dst + i * kBlock, src + offsets[i], kBlock);
}

template <std::int64_t kBlock>
void scatter(char* __restrict__ dst, const char* __restrict__ src, const std::int64_t* offsets, std::int64_t count,
             std::int64_t) noexcept {
#pragma GCC unroll 4
  for (std::int64_t i = 0; i < count; ++i) std::memcpy(dst + offsets[i], src + i * kBlock, kBlock);
}

void gather_any(char* dst, const char* src, const std::int64_t* offsets, std::int64_t count,
                std::int64_t block) noexcept {
  for (std::int64_t i = 0; i < count; ++i)
    std::memcpy(dst + i * block, src + offsets[i], static_cast<std::size_t>(block));
}

void scatter_any(char* dst, const char* src, const std::int64_t* offsets, std::int64_t count,
                 std::int64_t block) noexcept {
  for (std::int64_t i = 0; i < count; ++i)
    std::memcpy(dst + offsets[i], src + i * block, static_cast<std::size_t>(block));
}

#define GAPLESS_SCATTERED(block) {"scattered_" #block, block, gather<block>, scatter<block>}

constexpr ScatteredKernel kScattered[] = {
    GAPLESS_SCATTERED(1),  GAPLESS_SCATTERED(2),  GAPLESS_SCATTERED(4),
    GAPLESS_SCATTERED(8),  GAPLESS_SCATTERED(12), GAPLESS_SCATTERED(16),
    GAPLESS_SCATTERED(24), GAPLESS_SCATTERED(32), {"scattered_any", 0, gather_any, scatter_any},
};
#undef GAPLESS_SCATTERED

}  // namespace

std::span<const ScatteredKernel> scattered_kernels() noexcept {
  return kScattered;
}

}  // namespace gapless::kernel::baseline

#include <cstddef>
#include <cstring>

#include "kernel/baseline/baseline.hpp"

namespace gapless::kernel::baseline {
namespace {

template <std::int64_t kBlock, class Raw>
void gather(char* __restrict__ dst, const char* __restrict__ src, List offsets, std::int64_t first, std::int64_t count,
            std::int64_t) noexcept {
  const Raw* raw = static_cast<const Raw*>(offsets.raw) + first;
#pragma GCC unroll 4
  for (std::int64_t i = 0; i < count; ++i) std::memcpy(dst + i * kBlock, src + raw[i] * offsets.scale, kBlock);
}

template <std::int64_t kBlock, class Raw>
void scatter(char* __restrict__ dst, const char* __restrict__ src, List offsets, std::int64_t first, std::int64_t count,
             std::int64_t) noexcept {
  const Raw* raw = static_cast<const Raw*>(offsets.raw) + first;
#pragma GCC unroll 4
  for (std::int64_t i = 0; i < count; ++i) std::memcpy(dst + raw[i] * offsets.scale, src + i * kBlock, kBlock);
}

template <class Raw>
void gather_any(char* dst, const char* src, List offsets, std::int64_t first, std::int64_t count,
                std::int64_t block) noexcept {
  const Raw* raw = static_cast<const Raw*>(offsets.raw) + first;
  for (std::int64_t i = 0; i < count; ++i)
    std::memcpy(dst + i * block, src + raw[i] * offsets.scale, static_cast<std::size_t>(block));
}

template <class Raw>
void scatter_any(char* dst, const char* src, List offsets, std::int64_t first, std::int64_t count,
                 std::int64_t block) noexcept {
  const Raw* raw = static_cast<const Raw*>(offsets.raw) + first;
  for (std::int64_t i = 0; i < count; ++i)
    std::memcpy(dst + raw[i] * offsets.scale, src + i * block, static_cast<std::size_t>(block));
}

using Narrow = std::int32_t;
using Wide = std::int64_t;
#define GAPLESS_SCATTERED(block) \
  {"scattered_" #block, block, gather<block, Narrow>, scatter<block, Narrow>, gather<block, Wide>, scatter<block, Wide>}

constexpr ScatteredKernel kScattered[] = {
    GAPLESS_SCATTERED(1),
    GAPLESS_SCATTERED(2),
    GAPLESS_SCATTERED(4),
    GAPLESS_SCATTERED(8),
    GAPLESS_SCATTERED(12),
    GAPLESS_SCATTERED(16),
    GAPLESS_SCATTERED(24),
    GAPLESS_SCATTERED(32),
    {"scattered_any", 0, gather_any<Narrow>, scatter_any<Narrow>, gather_any<Wide>, scatter_any<Wide>},
};
#undef GAPLESS_SCATTERED

}  // namespace

std::span<const ScatteredKernel> scattered_kernels() noexcept {
  return kScattered;
}

}  // namespace gapless::kernel::baseline

// Blocks of one length from offsets to offsets: neither side is dense.
#pragma once

#include "kernel/generic/bytes.hpp"

namespace gapless::kernel::generic {

inline constexpr std::int64_t kPairedAhead = 64;  // blocks

// kScale: the scale of the lists if it is a compile-time constant, otherwise 0.
template <class M, std::int64_t kBlock, bool kFar, std::int64_t kScale, bool kListsTo, bool kListsFrom>
GAPLESS_INLINE void walk_pairs(char* __restrict__ dst, const char* __restrict__ src, BlockOffsets to, BlockOffsets from,
                               std::int64_t count, std::int64_t any) {
  const auto at_to = [&](std::int64_t i) {
    return kListsTo ? to.raw[i] * (kScale != 0 ? kScale : to.scale) : i * to.scale;
  };
  const auto at_from = [&](std::int64_t i) {
    return kListsFrom ? from.raw[i] * (kScale != 0 ? kScale : from.scale) : i * from.scale;
  };
  const auto one = [&](std::int64_t i) {
    if constexpr (kBlock != 0)
      copy<kBlock>(dst + at_to(i), src + at_from(i));
    else
      copy_any(dst + at_to(i), src + at_from(i), any);
  };
  std::int64_t i = 0;
  if constexpr (kFar)
    for (; i + kPairedAhead < count; ++i) {
      if constexpr (kListsTo) prefetch(dst + at_to(i + kPairedAhead));
      if constexpr (kListsFrom) prefetch(src + at_from(i + kPairedAhead));
      one(i);
    }
#pragma GCC unroll 4
  for (; i < count; ++i) one(i);
}

template <class M, std::int64_t kBlock, bool kFar, std::int64_t kScale>
GAPLESS_INLINE void scaled(char* dst, const char* src, BlockOffsets to, BlockOffsets from, std::int64_t count,
                           std::int64_t any) {
  if (to.raw != nullptr && from.raw != nullptr)
    walk_pairs<M, kBlock, kFar, kScale, true, true>(dst, src, to, from, count, any);
  else if (to.raw != nullptr)
    walk_pairs<M, kBlock, kFar, kScale, true, false>(dst, src, to, from, count, any);
  else
    walk_pairs<M, kBlock, kFar, kScale, false, true>(dst, src, to, from, count, any);
}

// Offsets are usually in blocks, which needs no multiplication.
template <class M, std::int64_t kBlock, bool kFar>
void paired(char* dst, const char* src, BlockOffsets to, BlockOffsets from, std::int64_t count,
            std::int64_t any) noexcept {
  const auto in_blocks = [](const BlockOffsets& side) { return side.raw == nullptr || side.scale == kBlock; };
  if (kBlock != 0 && in_blocks(to) && in_blocks(from))
    scaled<M, kBlock, kFar, kBlock>(dst, src, to, from, count, any);
  else
    scaled<M, kBlock, kFar, 0>(dst, src, to, from, count, any);
}

template <class M, std::int64_t kBlock>
constexpr PairedKernel paired_kernel(const char* name) {
  return {name, kBlock, {paired<M, kBlock, false>, paired<M, kBlock, true>}};
}

}  // namespace gapless::kernel::generic

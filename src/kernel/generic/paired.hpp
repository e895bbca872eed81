// Blocks of one length from places to places: neither side is dense.
#pragma once

#include "kernel/generic/bytes.hpp"

namespace gapless::kernel::generic {

inline constexpr std::int64_t kPairedAhead = 64;  // blocks

// kScale: that of the lists, if the compiler knows it; 0 if not.
template <class M, std::int64_t kBlock, bool kFar, std::int64_t kScale, bool kListsTo, bool kListsFrom>
GAPLESS_INLINE void walk_pairs(char* __restrict__ dst, const char* __restrict__ src, Places to, Places from,
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
      if constexpr (kListsTo) fetch(dst + at_to(i + kPairedAhead));
      if constexpr (kListsFrom) fetch(src + at_from(i + kPairedAhead));
      one(i);
    }
#pragma GCC unroll 4
  for (; i < count; ++i) one(i);
}

template <class M, std::int64_t kBlock, bool kFar, std::int64_t kScale>
GAPLESS_INLINE void scaled(char* dst, const char* src, Places to, Places from, std::int64_t count, std::int64_t any) {
  if (to.raw != nullptr && from.raw != nullptr)
    walk_pairs<M, kBlock, kFar, kScale, true, true>(dst, src, to, from, count, any);
  else if (to.raw != nullptr)
    walk_pairs<M, kBlock, kFar, kScale, true, false>(dst, src, to, from, count, any);
  else
    walk_pairs<M, kBlock, kFar, kScale, false, true>(dst, src, to, from, count, any);
}

// Offsets are most often in blocks, which costs no multiplication.
template <class M, std::int64_t kBlock, bool kFar>
void paired(char* dst, const char* src, Places to, Places from, std::int64_t count, std::int64_t any) noexcept {
  const auto in_blocks = [](const Places& places) { return places.raw == nullptr || places.scale == kBlock; };
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

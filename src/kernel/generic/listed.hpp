// Blocks of one length, and runs of unlike lengths, at listed offsets. Far: each iteration prefetches the block of a
// later one; any distance between the latency of the memory and the size of a cache will do.
#pragma once

#include "kernel/generic/bytes.hpp"

namespace gapless::kernel::generic {

inline constexpr std::int64_t kListedAhead = 128;  // blocks

// kScale: the scale of the list if it is a compile-time constant, otherwise 0.
template <class M, bool kPack, bool kFar, std::int64_t kBlock, std::int64_t kScale, class Raw>
GAPLESS_INLINE void walk(char* __restrict__ dst, const char* __restrict__ src, const Raw* raw, std::int64_t scale,
                         std::int64_t count, std::int64_t any) {
  const std::int64_t block = kBlock != 0 ? kBlock : any;
  const auto user = [&](std::int64_t i) { return raw[i] * (kScale != 0 ? kScale : scale); };
  const auto one = [&](std::int64_t i) {
    char* to = dst + (kPack ? i * block : user(i));
    const char* from = src + (kPack ? user(i) : i * block);
    if constexpr (kBlock != 0)
      copy<kBlock>(to, from);
    else
      copy_any(to, from, block);
  };
  std::int64_t i = 0;
  if constexpr (kFar)
    for (; i + kListedAhead < count; ++i) {
      prefetch((kPack ? src : dst) + user(i + kListedAhead));
      one(i);
    }
#pragma GCC unroll 4
  for (; i < count; ++i) one(i);
}

// Offsets are usually in bytes or in blocks, which needs no multiplication.
template <class M, bool kPack, bool kFar, std::int64_t kBlock, class Raw>
void listed(char* dst, const char* src, List offsets, std::int64_t first, std::int64_t count,
            std::int64_t any) noexcept {
  const Raw* raw = static_cast<const Raw*>(offsets.raw) + first;
  if (offsets.scale == 1)
    walk<M, kPack, kFar, kBlock, 1>(dst, src, raw, 1, count, any);
  else if (kBlock > 1 && offsets.scale == kBlock)
    walk<M, kPack, kFar, kBlock, kBlock>(dst, src, raw, kBlock, count, any);
  else
    walk<M, kPack, kFar, kBlock, 0>(dst, src, raw, offsets.scale, count, any);
}

template <class M, bool kPack, bool kFar, class Offset, class Length>
void runs(char* __restrict__ dst, const char* __restrict__ src, List offsets, List lengths, std::int64_t first,
          std::int64_t count) noexcept {
  constexpr std::int64_t kAhead = 32;
  const Offset* offset = static_cast<const Offset*>(offsets.raw) + first;
  const Length* length = static_cast<const Length*>(lengths.raw) + first;
  const std::int64_t prefetched = kFar ? count - kAhead : 0;
  std::int64_t packed = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (i < prefetched) prefetch((kPack ? src : dst) + offset[i + kAhead] * offsets.scale);
    const std::int64_t bytes = length[i] * lengths.scale, user = offset[i] * offsets.scale;
    copy_any(dst + (kPack ? packed : user), src + (kPack ? user : packed), bytes);
    packed += bytes;
  }
}

template <class M, std::int64_t kBlock, class Raw>
constexpr ListedKernel listed_kernel(const char* name) {
  return {name,
          kBlock,
          sizeof(Raw),
          {listed<M, true, false, kBlock, Raw>, listed<M, true, true, kBlock, Raw>},
          {listed<M, false, false, kBlock, Raw>, listed<M, false, true, kBlock, Raw>}};
}

template <class M, class Offset, class Length>
constexpr RunsKernel runs_kernel() {
  return {"runs",
          sizeof(Offset),
          sizeof(Length),
          {runs<M, true, false, Offset, Length>, runs<M, true, true, Offset, Length>},
          {runs<M, false, false, Offset, Length>, runs<M, false, true, Offset, Length>}};
}

}  // namespace gapless::kernel::generic

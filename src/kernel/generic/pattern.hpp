// A short list of runs, repeated.
#pragma once

#include "kernel/generic/stream.hpp"

namespace gapless::kernel::generic {

template <bool kPack, std::int64_t kBytes>
GAPLESS_INLINE const Move* moves(char* dst, const char* src, const Move* move, std::int32_t count) {
  for (const Move* const end = move + count; move != end; ++move)
    copy<kBytes>(dst + (kPack ? move->packed : move->user), src + (kPack ? move->user : move->packed));
  return move;
}

template <bool kPack>
GAPLESS_INLINE void once(char* __restrict__ dst, const char* __restrict__ src, const Pattern& pattern) {
  const Move* move = pattern.moves;
  move = moves<kPack, 32>(dst, src, move, pattern.counts[0]);
  move = moves<kPack, 16>(dst, src, move, pattern.counts[1]);
  move = moves<kPack, 8>(dst, src, move, pattern.counts[2]);
  move = moves<kPack, 4>(dst, src, move, pattern.counts[3]);
  move = moves<kPack, 2>(dst, src, move, pattern.counts[4]);
  moves<kPack, 1>(dst, src, move, pattern.counts[5]);
  for (std::int32_t i = 0; i < pattern.long_count; ++i) {
    const LongMove& run = pattern.longs[i];
    copy_long(dst + (kPack ? run.packed : run.user), src + (kPack ? run.user : run.packed), run.bytes);
  }
}

template <class M, bool kPack>
void near_pattern(char* dst, const char* src, const Pattern& pattern, std::int64_t count,
                  std::int64_t stride) noexcept {
  for (; count > 0; --count) {
    once<kPack>(dst, src, pattern);
    dst += kPack ? pattern.bytes : stride;
    src += kPack ? stride : pattern.bytes;
  }
}

template <class M>
void far_pack_pattern(char* dst, const char* src, const Pattern& pattern, std::int64_t count,
                      std::int64_t stride) noexcept {
  if (pattern.bytes > Stream<M>::kBatch) {
    near_pattern<M, true>(dst, src, pattern, count, stride);
    return;
  }
  const std::int64_t each = Stream<M>::kBatch / pattern.bytes;
  Stream<M> stream(dst);
  for (std::int64_t left = count; left > 0;) {
    const std::int64_t n = least(each, left);
    near_pattern<M, true>(stream.batch(), src, pattern, n, stride);
    stream.advance(n * pattern.bytes);
    src += n * stride;
    left -= n;
  }
  stream.finish();
}

template <class M>
constexpr PatternKernel pattern_kernel() {
  return {"pattern", {near_pattern<M, true>, far_pack_pattern<M>}, {near_pattern<M, false>, near_pattern<M, false>}};
}

}  // namespace gapless::kernel::generic

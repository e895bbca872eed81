// Nests of blocks of one length. One of the classes below copies a row; the loop over the rows, near and far, is the
// same for all.
#pragma once

#include "kernel/generic/close.hpp"
#include "kernel/generic/long.hpp"
#include "kernel/generic/stream.hpp"

namespace gapless::kernel::generic {

// The packed side advances by the block, the user's side by the stride.
template <bool kPack>
GAPLESS_INLINE std::int64_t dst_step(std::int64_t block, std::int64_t stride) {
  return kPack ? block : stride;
}
template <bool kPack>
GAPLESS_INLINE std::int64_t src_step(std::int64_t block, std::int64_t stride) {
  return kPack ? stride : block;
}

// True if no block of a column stays in the first cache, for all want the same set of it, of 16 lines at most, and they
// lie near enough to one another for the processor to see a step in it.
GAPLESS_INLINE bool steps_through_a_set(std::int64_t count, std::int64_t stride) {
  constexpr std::int64_t kPage = 4096, kWays = 16;
  const std::int64_t apart = stride < 0 ? -stride : stride;
  return (apart == kPage || apart == 2 * kPage) && count > kWays;
}

// Copies one block after the other, all of them by the same instructions.
template <bool kPack, std::int64_t kBlock>
GAPLESS_INLINE void copy_singly(char* __restrict__ dst, const char* __restrict__ src, std::int64_t count,
                                std::int64_t stride) {
  const std::int64_t to = dst_step<kPack>(kBlock, stride), from = src_step<kPack>(kBlock, stride);
#pragma GCC unroll 1
  for (std::int64_t i = 0; i < count; ++i, dst += to, src += from) {
    generic::copy<kBlock>(dst, src);
    __asm__ volatile("" ::: "memory");
  }
}

// True if copy_singly() is the faster. Packing: compilers merge the blocks of several iterations into one vector, whose
// loads then wait for each other: where each of them takes a walk through the page tables, that is a quarter slower
// (column/n=2050 of `gapless bench engine`). Unpacking: the processor fetches the lines of the next stores of one
// instruction, but not of four that take turns: a third slower where each store misses (column/n=512 there).
template <bool kPack, std::int64_t kBlock>
GAPLESS_INLINE bool goes_singly(std::int64_t count, std::int64_t stride) {
  return kPack ? kBlock <= 16 && misses_tlb(count, stride) : steps_through_a_set(count, stride);
}

// A row of blocks of a constant length. Four blocks per iteration, each at a multiple of the stride: a pointer advanced
// from block to block would allow only one of them to start per cycle.
template <class M, std::int64_t kBlock>
struct ConstantRow {
  static constexpr std::int64_t kBytes = kBlock;
  static constexpr std::int64_t block(const Nest&) { return kBlock; }

  template <bool kPack>
  static GAPLESS_INLINE void copy(char* __restrict__ dst, const char* __restrict__ src, std::int64_t count,
                                  std::int64_t stride, std::int64_t) {
    if (goes_singly<kPack, kBlock>(count, stride)) return copy_singly<kPack, kBlock>(dst, src, count, stride);
    copy_by_four<kPack>(dst, src, count, stride);
  }
  template <bool kPack>
  static GAPLESS_INLINE void copy_by_four(char* __restrict__ dst, const char* __restrict__ src, std::int64_t count,
                                          std::int64_t stride) {
    const std::int64_t to = dst_step<kPack>(kBlock, stride), from = src_step<kPack>(kBlock, stride);
    std::int64_t i = 0;
    for (; i + 4 <= count; i += 4, dst += 4 * to, src += 4 * from) {
      generic::copy<kBlock>(dst, src);
      generic::copy<kBlock>(dst + to, src + from);
      generic::copy<kBlock>(dst + 2 * to, src + 2 * from);
      generic::copy<kBlock>(dst + 3 * to, src + 3 * from);
    }
    for (; i < count; ++i, dst += to, src += from) generic::copy<kBlock>(dst, src);
  }

  // Packs the first blocks of a row of `available` blocks, all of which close_pack() may read.
  static GAPLESS_INLINE std::int64_t close(char* dst, const char* src, std::int64_t available, std::int64_t stride) {
    return close_pack<M, kBlock>(dst, src, available, stride);
  }
  static GAPLESS_INLINE std::int64_t close_unpack(char* dst, const char* src, std::int64_t count, std::int64_t stride) {
    return generic::close_unpack<M, kBlock>(dst, src, count, stride);
  }
};

// Shared by rows of blocks whose length is known at run time: none of them is shuffled.
struct LengthAtRunTime {
  static GAPLESS_INLINE std::int64_t block(const Nest& nest) { return nest.block; }
  static GAPLESS_INLINE std::int64_t close(char*, const char*, std::int64_t, std::int64_t) { return 0; }
  static GAPLESS_INLINE std::int64_t close_unpack(char*, const char*, std::int64_t, std::int64_t) { return 0; }
};

// Blocks of 65 to 256 bytes: a constant number of vectors of 32 bytes, and one of kTail that overlaps the one before.
template <std::int64_t kVectors, std::int64_t kTail>
struct VectorsRow : LengthAtRunTime {
  template <bool kPack>
  static GAPLESS_INLINE void copy(char* __restrict__ dst, const char* __restrict__ src, std::int64_t count,
                                  std::int64_t stride, std::int64_t block) {
    const std::int64_t to = dst_step<kPack>(block, stride), from = src_step<kPack>(block, stride);
    for (std::int64_t i = 0; i < count; ++i, dst += to, src += from) {
#pragma GCC unroll 8
      for (std::int64_t at = 0; at < kVectors * 32; at += 32) generic::copy<32>(dst + at, src + at);
      generic::copy<kTail>(dst + block - kTail, src + block - kTail);
    }
  }
};

// Blocks between a vector and two of them, of kWidth bytes.
template <std::int64_t kWidth>
struct PairRow : LengthAtRunTime {
  template <bool kPack>
  static GAPLESS_INLINE void copy(char* __restrict__ dst, const char* __restrict__ src, std::int64_t count,
                                  std::int64_t stride, std::int64_t block) {
    const std::int64_t to = dst_step<kPack>(block, stride), from = src_step<kPack>(block, stride);
    const std::int64_t end = block - kWidth;
    std::int64_t i = 0;
    for (; i + 2 <= count; i += 2, dst += 2 * to, src += 2 * from) {
      generic::copy<kWidth>(dst, src);
      generic::copy<kWidth>(dst + end, src + end);
      generic::copy<kWidth>(dst + to, src + from);
      generic::copy<kWidth>(dst + to + end, src + from + end);
    }
    if (i == count) return;
    generic::copy<kWidth>(dst, src);
    generic::copy<kWidth>(dst + end, src + end);
  }
};

struct AnyRow : LengthAtRunTime {
  template <bool kPack>
  static GAPLESS_INLINE void copy(char* __restrict__ dst, const char* __restrict__ src, std::int64_t count,
                                  std::int64_t stride, std::int64_t block) {
    const std::int64_t to = dst_step<kPack>(block, stride), from = src_step<kPack>(block, stride);
    for (std::int64_t i = 0; i < count; ++i, dst += to, src += from) copy_any(dst, src, block);
  }
};

// True if the row leaves no line out: then the hardware prefetcher follows it.
GAPLESS_INLINE bool hardware_prefetches(std::int64_t block, std::int64_t stride) {
  return stride > -kLine - block && stride < kLine + block;
}

// Blocks of kMinWide bytes or more.
template <class M, bool kPack>
void near_long(char* dst, const char* src, const Nest& nest) noexcept {
  const std::int64_t row_bytes = nest.inner_count * nest.block;
  const std::int64_t to = dst_step<kPack>(nest.block, nest.inner_stride);
  const std::int64_t from = src_step<kPack>(nest.block, nest.inner_stride);
  const bool fills = kPack || !hardware_prefetches(nest.block, nest.inner_stride);
  with_long_copy<M>(nest.block, nest.outer_count * row_bytes, fills, [&](auto copy) __attribute__((always_inline)) {
    for (std::int64_t i = 0; i < nest.outer_count; ++i) {
      char* d = dst;
      const char* s = src;
      for (std::int64_t j = 0; j < nest.inner_count; ++j, d += to, s += from) copy(d, s, nest.block);
      dst += dst_step<kPack>(row_bytes, nest.outer_stride);
      src += src_step<kPack>(row_bytes, nest.outer_stride);
    }
  });
}

// The prefetch distance: enough to hide the latency of the memory, and little compared with a cache [bytes].
inline constexpr std::int64_t kFarAhead = 8192;

// The distance from a block to the one to prefetch [bytes]; in a later row if rows are short.
GAPLESS_INLINE std::int64_t prefetch_distance(const Nest& nest) {
  const std::int64_t blocks = kFarAhead / (nest.block + kLine) + 1;
  if (nest.inner_count >= blocks) return blocks * nest.inner_stride;
  return (blocks + nest.inner_count - 1) / nest.inner_count * nest.outer_stride;
}

// Packs blocks beyond the caches, a line each, where the processor is to keep what is packed.
template <std::int64_t kBlock>
void pack_ahead(char* __restrict__ dst, const char* __restrict__ src, const Nest& nest) {
  const std::int64_t ahead = prefetch_distance(nest), stride = nest.inner_stride;
  for (std::int64_t i = 0; i < nest.outer_count; ++i, src += nest.outer_stride) {
    const char* from = src;
    for (std::int64_t j = 0; j < nest.inner_count; ++j, dst += kBlock, from += stride) {
      prefetch(from + ahead);
      generic::copy<kBlock>(dst, from);
    }
  }
}

// All rows of a nest alike: of short rows, asking in each how to copy it takes as long as copying it.
template <class Row, bool kPack>
GAPLESS_INLINE bool near_by_four(char* dst, const char* src, const Nest& nest) {
  if constexpr (requires { Row::template copy_by_four<kPack>(dst, src, 0, 0); }) {
    const std::int64_t block = Row::block(nest), count = nest.inner_count, stride = nest.inner_stride;
    if (is_close(block, stride) || goes_singly<kPack, Row::kBytes>(count, stride)) return false;
    const std::int64_t to = dst_step<kPack>(count * block, nest.outer_stride);
    const std::int64_t from = src_step<kPack>(count * block, nest.outer_stride);
    for (std::int64_t i = 0; i < nest.outer_count; ++i, dst += to, src += from)
      Row::template copy_by_four<kPack>(dst, src, count, stride);
    return true;
  }
  return false;
}

template <class M, class Row, bool kPack>
void near(char* dst, const char* src, const Nest& nest) noexcept {
  if constexpr (kPack && requires { Row::kBytes; }) {
    if (nest.ahead) return pack_ahead<Row::kBytes>(dst, src, nest);
  }
  if (near_by_four<Row, kPack>(dst, src, nest)) return;
  const std::int64_t block = Row::block(nest), row_bytes = nest.inner_count * block;
  for (std::int64_t i = 0; i < nest.outer_count; ++i) {
    const std::int64_t done = kPack ? Row::close(dst, src, nest.inner_count, nest.inner_stride)
                                    : Row::close_unpack(dst, src, nest.inner_count, nest.inner_stride);
    Row::template copy<kPack>(dst + done * dst_step<kPack>(block, nest.inner_stride),
                              src + done * src_step<kPack>(block, nest.inner_stride), nest.inner_count - done,
                              nest.inner_stride, block);
    dst += dst_step<kPack>(row_bytes, nest.outer_stride);
    src += src_step<kPack>(row_bytes, nest.outer_stride);
  }
}

// Blocks of any length.
template <class M, bool kPack>
void near_any(char* dst, const char* src, const Nest& nest) noexcept {
  if (nest.block >= kMinWide)
    near_long<M, kPack>(dst, src, nest);
  else
    near<M, AnyRow, kPack>(dst, src, nest);
}

// Prefetches the first lines of a long run: the hardware prefetcher continues from there.
GAPLESS_INLINE void prefetch_lines(const char* run, std::int64_t bytes) {
  const std::int64_t prefetched = least(bytes, 1024);
  for (std::int64_t at = 0; at < prefetched; at += kLine) prefetch(run + at);
  prefetch(run + prefetched - 1);
}

inline constexpr std::int64_t kNestBatch = 256;  // [bytes]

template <class M, class Row>
void far_pack(char* dst, const char* src, const Nest& nest) noexcept {
  const std::int64_t block = Row::block(nest);
  const std::int64_t ahead = hardware_prefetches(block, nest.inner_stride) ? 0 : prefetch_distance(nest);
  const std::int64_t each = block < kNestBatch ? kNestBatch / block : 1;
  Stream<M, kNestBatch> stream(dst);
  for (std::int64_t i = 0; i < nest.outer_count; ++i, src += nest.outer_stride) {
    const char* from = src;
    for (std::int64_t left = nest.inner_count; left > 0;) {
      const std::int64_t count = least(each, left);
      if (ahead != 0)
        for (std::int64_t k = 0; k < count; ++k) prefetch_lines(from + ahead + k * nest.inner_stride, block);
      if (block > kNestBatch) {
        stream.append(from, block);
      } else {
        std::int64_t done = Row::close(stream.batch(), from, least(left, count + 1), nest.inner_stride);
        Row::template copy<true>(stream.batch() + done * block, from + done * nest.inner_stride, count - done,
                                 nest.inner_stride, block);
        stream.advance(count * block);
      }
      left -= count;
      from += count * nest.inner_stride;
    }
  }
  stream.finish();
}

// Writes lines that lie entirely in a block past the caches; prefetches those that the block shares.
template <class M, class Row>
void far_unpack(char* dst, const char* src, const Nest& nest) noexcept {
  const std::int64_t block = Row::block(nest);
  const bool itself = hardware_prefetches(block, nest.inner_stride);
  if (block < kLine ? itself : itself && block < 4 * kLine) {
    near<M, Row, false>(dst, src, nest);
    return;
  }
  const std::int64_t ahead = itself ? 0 : prefetch_distance(nest);
  for (std::int64_t i = 0; i < nest.outer_count; ++i, dst += nest.outer_stride) {
    char* to = dst;
    for (std::int64_t j = 0; j < nest.inner_count; ++j, to += nest.inner_stride, src += block) {
      if (ahead != 0) prefetch_ends(to + ahead, block);
      if (block < kLine)
        Row::template copy<false>(to, src, 1, 0, block);
      else
        stream_run<M>(to, src, block);
    }
  }
  M::fence();
}

template <class M, class Row>
constexpr NestKernel nest_kernel(const char* name, std::int64_t block) {
  return {name, block, {near<M, Row, true>, far_pack<M, Row>}, {near<M, Row, false>, far_unpack<M, Row>}};
}

template <class M>
constexpr NestKernel any_nest_kernel() {
  return {"nest_any", 0, {near_any<M, true>, far_pack<M, AnyRow>}, {near_any<M, false>, far_unpack<M, AnyRow>}};
}

}  // namespace gapless::kernel::generic

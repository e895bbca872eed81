// Leaf loops. Each copies blocks of one constant length, between two strided nests (one of them usually dense) or
// between a dense stream and an index table. Pack and unpack are the same loop with the sides exchanged.
//
// Contract of all: source and destination do not overlap; exactly the bytes of the blocks are written, each once, in
// nest order; only the bytes of the blocks are read.
#pragma once

#include <cstdint>
#include <span>

namespace gapless::kernel {

struct Nest {
  std::int64_t inner_count, outer_count;
  std::int64_t dst_inner, dst_outer;  // [bytes]
  std::int64_t src_inner, src_outer;  // [bytes]
  std::int64_t block;                 // [bytes]
};

using Strided = void (*)(char* dst, const char* src, const Nest& nest) noexcept;
// dst dense, src at offsets[i]
using Gather = void (*)(char* dst, const char* src, const std::int64_t* offsets, std::int64_t count,
                        std::int64_t block) noexcept;
// src dense, dst at offsets[i]
using Scatter = Gather;

struct StridedKernel {
  const char* name;
  std::int64_t block;  // [bytes]; 0: any
  Strided copy;
};

struct ScatteredKernel {
  const char* name;
  std::int64_t block;  // [bytes]; 0: any
  Gather gather;
  Scatter scatter;
};

// The kernel for blocks of this length: the one made for it, or the one for any length. Never null.
const StridedKernel& strided_for(std::int64_t block) noexcept;
const ScatteredKernel& scattered_for(std::int64_t block) noexcept;

std::span<const char* const> kernel_names() noexcept;

}  // namespace gapless::kernel

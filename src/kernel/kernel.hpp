// Leaf loops. Each copies blocks of one constant length, between two strided nests (one of them usually dense) or
// between a dense stream and an index table. Pack and unpack are the same loop with the sides exchanged.
//
// Contract of all: source and destination do not overlap; exactly the bytes of the blocks are written, block by block
// in order; only the bytes of the blocks are read.
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

// A list as a kernel reads it: number i is raw i times scale [bytes]. The width of a raw number is the kernel's.
struct List {
  const void* raw;
  std::int64_t scale;
};

// Blocks [first, first + count) of one length; the dense side is where block `first` goes.
using Gather = void (*)(char* dst, const char* src, List offsets, std::int64_t first, std::int64_t count,
                        std::int64_t block) noexcept;
using Scatter = Gather;
// The same for blocks of unlike lengths.
using GatherRuns = void (*)(char* dst, const char* src, List offsets, List lengths, std::int64_t first,
                            std::int64_t count) noexcept;
using ScatterRuns = GatherRuns;

struct StridedKernel {
  const char* name;
  std::int64_t block;  // [bytes]; 0: any
  Strided copy;
};

// One pair for raw offsets of 4 bytes, one for 8.
struct ScatteredKernel {
  const char* name;
  std::int64_t block;  // [bytes]; 0: any
  Gather gather4;
  Scatter scatter4;
  Gather gather8;
  Scatter scatter8;
};

struct RunsKernel {
  const char* name;
  int offset_width, length_width;  // [bytes] of a raw number
  GatherRuns gather;
  ScatterRuns scatter;
};

// The kernel for blocks of this length: the one made for it, or the one for any length. Never null.
const StridedKernel& strided_for(std::int64_t block) noexcept;
const ScatteredKernel& scattered_for(std::int64_t block) noexcept;
// offset_width: 4 or 8; length_width: 1, 2, 4 or 8.
const RunsKernel& runs_for(int offset_width, int length_width) noexcept;

std::span<const char* const> kernel_names() noexcept;

}  // namespace gapless::kernel

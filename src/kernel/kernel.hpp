// Leaf loops. Each copies runs of bytes between user memory and the packed stream, which is dense. Pack and unpack are
// the same loop with the sides exchanged.
//
// Contract of all: source and destination do not overlap; exactly the bytes of the runs are written, and where a kernel
// may write them in another order than the type map's, it says so. A byte of a gap is read only if its cache line, 64
// bytes and aligned, holds a byte of a run, too.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace gapless::kernel {

inline constexpr std::int64_t kLine = 64;  // [bytes]

// What a kernel is told of the transfer that it is part of.
enum class Reach : std::uint8_t {
  kNear,  // its memory is, or may as well be, in a cache
  kFar,   // the transfer is too large for the caches: fetch ahead, and write past them
};
inline constexpr int kReaches = 2;

// Blocks of one length, in rows; the packed side goes through all rows without a gap.
struct Nest {
  std::int64_t block;                      // [bytes]
  std::int64_t inner_count, inner_stride;  // blocks of a row, and [bytes] from one to the next
  std::int64_t outer_count, outer_stride;  // rows, and [bytes] from one to the next
};

// In type-map order.
using CopyNest = void (*)(char* dst, const char* src, const Nest& nest) noexcept;

struct NestKernel {
  const char* name;
  std::int64_t block;  // [bytes]; 0: any; -n: any that takes n vectors of 16 bytes
  CopyNest pack[kReaches], unpack[kReaches];
};

// A list as a kernel reads it: number i is raw i times scale [bytes]. The width of a raw number is the kernel's.
struct List {
  const void* raw;
  std::int64_t scale;
};

// Blocks [first, first + count) of one length at listed offsets; the packed side is where block `first` goes.
// In type-map order.
using CopyListed = void (*)(char* dst, const char* src, List offsets, std::int64_t first, std::int64_t count,
                            std::int64_t block) noexcept;
// Runs of listed lengths: the same.
using CopyRuns = void (*)(char* dst, const char* src, List offsets, List lengths, std::int64_t first,
                          std::int64_t count) noexcept;

struct ListedKernel {
  const char* name;
  std::int64_t block;  // [bytes]; 0: any
  int offset_width;    // [bytes] of a raw number: 4 or 8
  CopyListed pack[kReaches], unpack[kReaches];
};

struct RunsKernel {
  const char* name;
  int offset_width, length_width;  // [bytes] of a raw number: 4 or 8; 1, 2, 4 or 8
  CopyRuns pack[kReaches], unpack[kReaches];
};

// Places of blocks on one side of a copy between two types: listed ones, as List, or a stride.
struct Places {
  const std::int32_t* raw;  // null: place i is i times scale
  std::int64_t scale;       // [bytes]
};
// `count` blocks of one length from listed or regular places to others. In order.
using CopyPaired = void (*)(char* dst, const char* src, Places to, Places from, std::int64_t count,
                            std::int64_t block) noexcept;
struct PairedKernel {
  const char* name;
  std::int64_t block;  // [bytes]; 0: any
  CopyPaired copy[kReaches];
};

// dst[r][c] = src[c][r], in blocks of one length; strides [bytes] are those between the rows of either side. Any order.
struct SquareShape {
  std::int64_t dst_stride, src_stride;
  std::int64_t rows, columns;  // of dst
};
using CopySquare = void (*)(char* dst, const char* src, const SquareShape& shape) noexcept;
struct SquareKernel {
  const char* name;
  std::int64_t block;  // [bytes]
  CopySquare copy[kReaches];
};

// A short list of runs that is repeated, cut into moves of the widths that registers have. Moves of one run may
// overlap.
struct Move {
  std::int32_t dst, src;  // [bytes] from the repetition's origins
};
// Moves of 32, 16, 8, 4, 2 and 1 bytes.
inline constexpr int kMoveWidths = 6;
inline constexpr std::int64_t kWidestMove = 32;
using MoveCounts = std::array<int, kMoveWidths>;
inline constexpr int kMostMoves = 6;            // of a pass that is compiled for them
inline constexpr std::int64_t kLongMove = 256;  // from here on a run is one LongMove [bytes]
inline constexpr int kMostWords = 16;

struct Pass;
// Repetitions in rows, and [bytes] from one to the next on either side.
struct Repeats {
  std::int64_t count, to, from;
  std::int64_t rows, row_to, row_from;
  bool fetch = true;  // they may touch more than the nearer caches hold: fetch ahead
};
// Makes the moves of every repetition. In any order.
using CopyMoves = void (*)(char* dst, const char* src, const Pass& pass, const Repeats& repeats) noexcept;
struct Pass {
  CopyMoves copy;
  const Move* moves;  // by descending width
  MoveCounts counts;
  int widths;  // a bit for each that has moves
};
struct LongMove {
  std::int64_t user, packed, bytes;
};

// Whether blocks are packed by shuffling vectors (kernel/generic/close.hpp), as far as their places say: no line
// between them is left out.
[[gnu::always_inline]] inline constexpr bool is_close(std::int64_t block, std::int64_t stride) {
  return stride > block && stride - block < kLine;
}
// Fewer repetitions do not repay the making of the shuffles.
inline constexpr std::int64_t kLeastShuffled = 64;

// Bytes of both sides that are passed over again and again while they are in the first cache.
inline constexpr std::int64_t kTileBytes = 16384;
// Repetitions of a pattern of several passes that are a tile.
[[gnu::always_inline]] inline constexpr std::int64_t tile_of(std::int64_t stride, std::int64_t bytes) {
  return kTileBytes / ((stride < 0 ? -stride : stride) + bytes) + 1;
}

struct Pattern {
  std::span<const Pass> pack, unpack;
  std::span<const LongMove> longs;
  std::span<const LongMove> runs;  // all, whether passes make them or they are long
  std::int64_t shortest;           // of them [bytes]
  std::int64_t bytes;              // of data
  // Of runs in ascending order that are whole words of 4 bytes, 1, 2, 4, 8 or 16 of them together: where each word is
  // in user memory, in words. Otherwise word_count is 0.
  std::int32_t word_count;
  std::int32_t words[kMostWords];
};

// `count` repetitions, `stride` [bytes] apart in user memory. In any order.
using CopyPattern = void (*)(char* dst, const char* src, const Pattern& pattern, std::int64_t count,
                             std::int64_t stride) noexcept;

// The long runs of every repetition, from user memory to packed.
using CopyLongs = void (*)(char* dst, const char* src, const Pattern& pattern, std::int64_t count, std::int64_t to,
                           std::int64_t from) noexcept;

struct PatternKernel {
  const char* name;
  CopyPattern pack[kReaches], unpack[kReaches];
  // The pass for so many moves of each width: compiled for them if they are kMostMoves at most, each of 4 bytes or
  // more, or a single one.
  CopyMoves (*pass_for)(const MoveCounts& counts) noexcept;
  CopyLongs longs;
};

// One run.
using CopyBytes = void (*)(char* dst, const char* src, std::int64_t bytes) noexcept;
// What fits a first cache with both sides, and is worth a call through a table [bytes].
inline constexpr std::int64_t kLeastNear = 1024, kMostNear = 16384;

// True where the processor copies strings faster than vectors do, once they are long and miss the first cache. Settled
// when the engine is loaded.
extern const bool kCopiesStrings;

// The kernels of one instruction set.
struct Set {
  const char* name;
  std::span<const NestKernel> nests;  // the last one is for any block
  // For nests whose rows interleave, outer_stride == block: the user's memory is a matrix, packed by columns. Any
  // order.
  std::span<const NestKernel> transposes;
  std::span<const SquareKernel> squares;
  std::span<const ListedKernel> listed;  // the last two are for any block
  std::span<const PairedKernel> paired;  // the last one is for any block
  std::span<const RunsKernel> runs;
  PatternKernel pattern;
  CopyBytes near_copy;  // kLeastNear to kMostNear bytes; others are the C library's
  CopyBytes far_copy;
  CopyBytes stream_lines;    // whole lines past the caches, from anywhere; `fence` afterwards
  void (*fence)() noexcept;  // before anybody is told of them
};

// The kernel for blocks of this length: the one made for it, or the one for any length.
const NestKernel& nest_for(const Set& set, std::int64_t block) noexcept;
// Null if there is none.
const NestKernel* transpose_for(const Set& set, std::int64_t block) noexcept;
const SquareKernel* square_for(const Set& set, std::int64_t block) noexcept;
const PairedKernel& paired_for(const Set& set, std::int64_t block) noexcept;
const ListedKernel& listed_for(const Set& set, std::int64_t block, int offset_width) noexcept;
const RunsKernel& runs_for(const Set& set, int offset_width, int length_width) noexcept;

// The set in force in this process: the best that the machine can run, or the one that GAPLESS_ISA names, if the
// machine can run it. Settled at the first call.
const Set& chosen() noexcept;
// Of all kernels that pack and unpack in the set in force, each name once.
std::span<const char* const> kernel_names() noexcept;
// The sets of this build that this machine can run, the best one last.
std::span<const Set* const> available() noexcept;

}  // namespace gapless::kernel

// Leaf loops. Each copies runs of bytes between user memory and the packed stream, which is dense. Pack and unpack are
// the same loop with the sides exchanged.
//
// Contract of all: source and destination do not overlap; exactly the bytes of the runs are written, in type-map order
// unless the kernel's comment says otherwise. A byte of a gap is read only if its cache line, 64 bytes and aligned,
// also holds a byte of a run.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace gapless::kernel {

inline constexpr std::int64_t kLine = 64;  // [bytes]

// What a kernel knows of the transfer that it is part of.
enum class Locality : std::uint8_t {
  kNear,  // its memory is, or may as well be, in a cache
  kFar,   // the transfer is too large for the caches: prefetch, and write past them
};
inline constexpr int kLocalities = 2;

// Blocks of one length, in rows; the packed side has all rows without a gap.
struct Nest {
  std::int64_t block;                      // [bytes]
  std::int64_t inner_count, inner_stride;  // blocks of a row, and [bytes] from one to the next
  std::int64_t outer_count, outer_stride;  // rows, and [bytes] from one to the next
  bool ahead = false;                      // near packing: prefetch, for each block is a line beyond the caches
};

// In type-map order.
using CopyNest = void (*)(char* dst, const char* src, const Nest& nest) noexcept;

struct NestKernel {
  const char* name;
  std::int64_t block;  // [bytes]; 0: any; -n: any that takes n vectors of 16 bytes
  CopyNest pack[kLocalities], unpack[kLocalities];
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
  CopyListed pack[kLocalities], unpack[kLocalities];
};

struct RunsKernel {
  const char* name;
  int offset_width, length_width;  // [bytes] of a raw number: 4 or 8; 1, 2, 4 or 8
  CopyRuns pack[kLocalities], unpack[kLocalities];
};

// Offsets of blocks on one side of a copy between two types: listed ones, as in List, or a stride.
struct BlockOffsets {
  const std::int32_t* raw;  // null: offset i is i times scale
  std::int64_t scale;       // [bytes]
};
// `count` blocks of one length from listed or regular offsets to others. In order.
using CopyPaired = void (*)(char* dst, const char* src, BlockOffsets to, BlockOffsets from, std::int64_t count,
                            std::int64_t block) noexcept;
struct PairedKernel {
  const char* name;
  std::int64_t block;  // [bytes]; 0: any
  CopyPaired copy[kLocalities];
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
  CopySquare copy[kLocalities];
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
inline constexpr int kMaxMoves = 6;             // of a pass that is compiled for them
inline constexpr std::int64_t kLongMove = 256;  // a run of this length or more is one LongMove [bytes]
inline constexpr int kMaxWords = 16;

struct Pass;
// Repetitions in rows, and the strides of both [bytes] on either side.
struct Repeats {
  std::int64_t count, to, from;
  std::int64_t rows, row_to, row_from;
  bool prefetch = true;  // they may touch more than the nearer caches hold
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

// True if blocks are so close that no line between them is left out: then they may be packed by shuffling vectors
// (kernel/generic/close.hpp).
[[gnu::always_inline]] inline constexpr bool is_close(std::int64_t block, std::int64_t stride) {
  return stride > block && stride - block < kLine;
}
// True if blocks lie in more pages than a second-level TLB of 1536 entries holds (x86-64 processors have 1536 to 3072),
// a few in each at most: with more, the walks through the page tables do not decide.
[[gnu::always_inline]] inline constexpr bool misses_tlb(std::int64_t count, std::int64_t stride) {
  constexpr std::int64_t kPage = 4096, kPages = 1536;
  const std::int64_t apart = stride < 0 ? -stride : stride;
  return apart >= kPage / 4 && count >= kPages && count / kPages * (apart < kPage ? apart : kPage) >= kPage;
}

// Masked stores unpack what is no further apart than so many blocks: further apart they take as long as single stores.
inline constexpr std::int64_t kMostScattered = 3;
// Fewer repetitions do not repay the set-up of the shuffles.
inline constexpr std::int64_t kMinShuffled = 64;

// The bytes of both sides that several passes visit while they are in the first-level cache.
inline constexpr std::int64_t kTileBytes = 16384;
// The repetitions in one tile of a pattern of several passes.
[[gnu::always_inline]] inline constexpr std::int64_t tile_of(std::int64_t stride, std::int64_t bytes) {
  return kTileBytes / ((stride < 0 ? -stride : stride) + bytes) + 1;
}

struct Pattern {
  std::span<const Pass> pack, unpack;
  std::span<const LongMove> longs;
  std::span<const LongMove> runs;  // all, whether passes make them or they are long
  std::int64_t shortest;           // of them [bytes]
  std::int64_t bytes;              // of data
  // If the runs ascend and are whole words of 4 bytes, 1, 2, 4, 8 or 16 words in all: the offset of each word in user
  // memory, in words. Otherwise word_count is 0.
  std::int32_t word_count;
  std::int32_t words[kMaxWords];
};

// `count` repetitions, `stride` [bytes] apart in user memory. In any order.
using CopyPattern = void (*)(char* dst, const char* src, const Pattern& pattern, std::int64_t count,
                             std::int64_t stride) noexcept;

// The long runs of every repetition, from user memory to packed.
using CopyLongs = void (*)(char* dst, const char* src, const Pattern& pattern, std::int64_t count, std::int64_t to,
                           std::int64_t from) noexcept;

// The pass for the given number of moves of each width: compiled for them if there are kMaxMoves at most, each of 4
// bytes or more, or a single one.
using PassFor = CopyMoves(const MoveCounts& counts) noexcept;

struct PatternKernel {
  const char* name;
  CopyPattern pack[kLocalities], unpack[kLocalities];
  PassFor* pass_for;
  CopyLongs longs;
};

// One run.
using CopyBytes = void (*)(char* dst, const char* src, std::int64_t bytes) noexcept;
// Runs that fit the first-level cache with both sides, and are worth a call through a table [bytes].
inline constexpr std::int64_t kMinNear = 1024, kMaxNear = 16384;

// True if the processor's string instruction is faster than vectors for long runs that miss the first-level cache. Set
// when the engine is loaded.
extern const bool kCopiesStrings;

// True if the string instruction, and a C library that uses it, crawls: where the destination lies less than 16 bytes
// behind the source in their pages, an AMD EPYC (Zen 4) takes many times as long as at any other distance.
[[gnu::always_inline]] inline bool crawls(const void* dst, const void* src) {
  constexpr std::uintptr_t kPage = 4096, kBehind = 16;
  const auto behind = reinterpret_cast<std::uintptr_t>(dst) - reinterpret_cast<std::uintptr_t>(src);
  return behind % kPage - 1 < kBehind - 1;
}

// The kernels of one instruction set.
struct Set {
  const char* name;
  std::span<const NestKernel> nests;  // the last one is for any block
  // For nests whose rows interleave, outer_stride == block: user memory is a matrix, packed by columns. In any order.
  std::span<const NestKernel> transposes;
  std::span<const SquareKernel> squares;
  std::span<const ListedKernel> listed;  // the last two are for any block
  std::span<const PairedKernel> paired;  // the last one is for any block
  std::span<const RunsKernel> runs;
  PatternKernel pattern;
  CopyBytes near_copy;  // kMinNear bytes or more; beyond kMaxNear use the C library, unless it crawls
  CopyBytes far_copy;
  CopyBytes stream_lines;    // whole lines past the caches, from any address; call `fence` afterwards
  void (*fence)() noexcept;  // before another thread is told of the lines
  bool scatters;             // unpacks close words by masked stores of whole vectors
};

// The kernel for blocks of this length: the one made for it, or the one for any length.
const NestKernel& nest_for(const Set& set, std::int64_t block) noexcept;
// Null if there is none.
const NestKernel* transpose_for(const Set& set, std::int64_t block) noexcept;
const SquareKernel* square_for(const Set& set, std::int64_t block) noexcept;
const PairedKernel& paired_for(const Set& set, std::int64_t block) noexcept;
const ListedKernel& listed_for(const Set& set, std::int64_t block, int offset_width) noexcept;
const RunsKernel& runs_for(const Set& set, int offset_width, int length_width) noexcept;

// The set in force in this process: the best that the machine runs, or the one that GAPLESS_ISA names if the machine
// runs it. Chosen at the first call.
const Set& chosen() noexcept;
// The names of all kernels that pack and unpack in the set in force, each once.
std::span<const char* const> kernel_names() noexcept;
// The sets of this build that this machine runs, the best one last.
std::span<const Set* const> available() noexcept;

}  // namespace gapless::kernel

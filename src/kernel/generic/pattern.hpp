// A short list of runs, repeated. Each pass is a loop that is compiled for its few moves; if one pass cannot make them
// all, the repetitions are divided into tiles that stay in the first-level cache. Between two types, where the gaps of
// both sides should be crossed only once, one pass looks all moves up, each for four repetitions at a time.
#pragma once

#include "kernel/generic/nest.hpp"

namespace gapless::kernel::generic {

// Repetitions that touch no more are mostly in the second-level cache, where prefetching takes longer than waiting.
inline constexpr std::int64_t kNearBytes = std::int64_t{1} << 20;

// Moves of one width.
template <std::int64_t kBytes, int kMoves>
GAPLESS_INLINE void moves(char* __restrict__ dst, const char* __restrict__ src, const std::int64_t* at_dst,
                          const std::int64_t* at_src) {
#pragma GCC unroll 6
  for (int k = 0; k < kMoves; ++k) copy<kBytes>(dst + at_dst[k], src + at_src[k]);
}

// The prefetch distance in repetitions. Lines to be written are always worth a prefetch, lines to be read only if the
// hardware prefetcher leaves some out.
inline constexpr std::int64_t kAheadRepetitions = 16;

// All moves of a repetition in one go: k32 of 32 bytes, and so on.
template <class M, int k32, int k16, int k8, int k4>
void straight(char* __restrict__ dst, const char* __restrict__ src, const Pass& pass, const Repeats& repeats) noexcept {
  constexpr int kMoves = k32 + k16 + k8 + k4;
  std::int64_t at_dst[kMoves], at_src[kMoves];
#pragma GCC unroll 6
  for (int k = 0; k < kMoves; ++k) {
    at_dst[k] = pass.moves[k].dst;
    at_src[k] = pass.moves[k].src;
  }
  const auto once = [&](char* d, const char* s) __attribute__((always_inline)) {
    // Keep the two pointers opaque: what a compiler derives from them needs more registers than there are.
    asm("" : "+r"(d), "+r"(s));
    moves<32, k32>(d, s, at_dst, at_src);
    moves<16, k16>(d, s, at_dst + k32, at_src + k32);
    moves<8, k8>(d, s, at_dst + k32 + k16, at_src + k32 + k16);
    moves<4, k4>(d, s, at_dst + k32 + k16 + k8, at_src + k32 + k16 + k8);
  };
  const std::int64_t to = repeats.to, from = repeats.from;
  // If repetitions hardly share lines, prefetch all lines that they write: prefetching some takes longer than
  // prefetching none. If they are far apart, they may all map to the same few sets of the first-level cache, which
  // overflow.
  constexpr std::int64_t kFarApart = 1024;
  const std::int64_t apart = to < 0 ? -to : to;
  const bool prefetch = kMoves > 2 && repeats.prefetch;
  const bool prefetch_all = kMoves > 2 && apart > kMoves * kLine / 2 && apart <= kFarApart;
  const bool prefetch_from = prefetch && (from >= kLine || from <= -kLine);
  for (std::int64_t rows = repeats.rows; rows > 0; --rows, dst += repeats.row_to, src += repeats.row_from) {
    char* d = dst;
    const char* s = src;
    std::int64_t count = repeats.count;
    const auto each = [&](auto before) __attribute__((always_inline)) {
      for (; count > 0; --count, d += to, s += from) {
        before();
        once(d, s);
      }
    };
    if (prefetch_all) {
      each([&]() __attribute__((always_inline)) {
#pragma GCC unroll 6
        for (int k = 0; k < kMoves; ++k) prefetch_near(d + at_dst[k], kAheadRepetitions, to);
      });
    } else if (prefetch_from) {
      each([&]() __attribute__((always_inline)) {
        prefetch_near(d, kAheadRepetitions, to);
        prefetch_near(s, kAheadRepetitions, from);
      });
    } else if (prefetch) {
      each([&]() __attribute__((always_inline)) { prefetch_near(d, kAheadRepetitions, to); });
    } else {
      constexpr int kTogether = kMoves == 1 ? 4 : 2;
      for (; count >= kTogether; count -= kTogether)
#pragma GCC unroll 4
        for (int i = 0; i < kTogether; ++i, d += to, s += from) once(d, s);
      each([] {});
    }
  }
}

// Makes moves of one width for four repetitions at a time, so that their offsets are looked up once for all four.
template <std::int64_t kBytes>
GAPLESS_INLINE void four_times(char* __restrict__ dst, const char* __restrict__ src, const Move* move, const Move* end,
                               std::int64_t to, std::int64_t from) {
#pragma GCC unroll 4
  for (; move != end; ++move) {
    char* const d = dst + move->dst;
    const char* const s = src + move->src;
    copy<kBytes>(d, s);
    copy<kBytes>(d + to, s + from);
    copy<kBytes>(d + 2 * to, s + 2 * from);
    copy<kBytes>(d + 3 * to, s + 3 * from);
  }
}
template <std::int64_t kBytes>
GAPLESS_INLINE void one_time(char* __restrict__ dst, const char* __restrict__ src, const Move* move, const Move* end) {
  for (; move != end; ++move) copy<kBytes>(dst + move->dst, src + move->src);
}

// A single move of two bytes or of one.
template <class M, std::int64_t kBytes>
void narrow(char* __restrict__ dst, const char* __restrict__ src, const Pass& pass, const Repeats& repeats) noexcept {
  dst += pass.moves->dst;
  src += pass.moves->src;
  const std::int64_t to = repeats.to, from = repeats.from;
  for (std::int64_t rows = repeats.rows; rows > 0; --rows, dst += repeats.row_to, src += repeats.row_from) {
    char* d = dst;
    const char* s = src;
    std::int64_t count = repeats.count;
    for (; count >= 4; count -= 4, d += 4 * to, s += 4 * from) {
      copy<kBytes>(d, s);
      copy<kBytes>(d + to, s + from);
      copy<kBytes>(d + 2 * to, s + 2 * from);
      copy<kBytes>(d + 3 * to, s + 3 * from);
    }
    for (; count > 0; --count, d += to, s += from) copy<kBytes>(d, s);
  }
}

// Calls moves<width>(first, end) for the moves of each width that occurs.
template <class Moves>
GAPLESS_INLINE void by_width(const Pass& pass, const Moves& moves) {
  const Move* first = pass.moves;
  for (int left = pass.widths; left != 0; left &= left - 1) {
    const int width = __builtin_ctz(static_cast<unsigned>(left));
    const Move* const end = first + pass.counts[static_cast<std::size_t>(width)];
    switch (width) {
      case 0:
        moves.template operator()<32>(first, end);
        break;
      case 1:
        moves.template operator()<16>(first, end);
        break;
      case 2:
        moves.template operator()<8>(first, end);
        break;
      case 3:
        moves.template operator()<4>(first, end);
        break;
      case 4:
        moves.template operator()<2>(first, end);
        break;
      default:
        moves.template operator()<1>(first, end);
    }
    first = end;
  }
}

// The pass for all other cases: more moves, and narrow moves among others.
template <class M>
void any_moves(char* dst, const char* src, const Pass& pass, const Repeats& given) noexcept {
  // Rows are repetitions, too: the inner loop should be the longer one.
  const Repeats turned{given.rows, given.row_to, given.row_from, given.count, given.to, given.from};
  const Repeats& repeats = given.count < 4 && given.rows > given.count ? turned : given;
  for (std::int64_t rows = repeats.rows; rows > 0; --rows, dst += repeats.row_to, src += repeats.row_from) {
    char* d = dst;
    const char* s = src;
    std::int64_t count = repeats.count;
    for (; count >= 4; count -= 4, d += 4 * repeats.to, s += 4 * repeats.from)
      by_width(pass, [&]<std::int64_t kBytes>(const Move* first, const Move* end) __attribute__((always_inline)) {
        four_times<kBytes>(d, s, first, end, repeats.to, repeats.from);
      });
    for (; count > 0; --count, d += repeats.to, s += repeats.from)
      by_width(pass, [&]<std::int64_t kBytes>(const Move* first, const Move* end)
                         __attribute__((always_inline)) { one_time<kBytes>(d, s, first, end); });
  }
}

// Finds the pass compiled for these counts of four widths, kMaxMoves at most together.
template <class M, int k32, int k16, int k8, int k4>
constexpr CopyMoves find_straight(const MoveCounts& counts) {
  if (counts[0] == k32 && counts[1] == k16 && counts[2] == k8 && counts[3] == k4) {
    if constexpr (k32 + k16 + k8 + k4 > 0) return straight<M, k32, k16, k8, k4>;
  }
  if constexpr (k32 + k16 + k8 + k4 < kMaxMoves) {
    if constexpr (k16 + k8 + k4 == 0)
      if (counts[0] > k32) return find_straight<M, k32 + 1, 0, 0, 0>(counts);
    if constexpr (k8 + k4 == 0)
      if (counts[1] > k16) return find_straight<M, k32, k16 + 1, 0, 0>(counts);
    if constexpr (k4 == 0)
      if (counts[2] > k8) return find_straight<M, k32, k16, k8 + 1, 0>(counts);
    if (counts[3] > k4) return find_straight<M, k32, k16, k8, k4 + 1>(counts);
  }
  return nullptr;
}

template <class M>
CopyMoves pass_for(const MoveCounts& counts) noexcept {
  const int narrow_moves = counts[4] + counts[5];
  // Do not compare arrays, which calls memcmp: kernels call nothing outside.
  const bool alone = counts[0] + counts[1] + counts[2] + counts[3] == 0 && narrow_moves == 1;
  if (alone) return counts[4] == 1 ? CopyMoves{narrow<M, 2>} : CopyMoves{narrow<M, 1>};
  if (narrow_moves > 0) return any_moves<M>;
  const CopyMoves straight = find_straight<M, 0, 0, 0, 0>(counts);
  return straight != nullptr ? straight : any_moves<M>;
}

template <class M, bool kPack>
void tile(char* dst, const char* src, const Pattern& pattern, std::int64_t count, std::int64_t stride, bool prefetch) {
  const std::int64_t to = kPack ? pattern.bytes : stride, from = kPack ? stride : pattern.bytes;
  for (const Pass& pass : kPack ? pattern.pack : pattern.unpack)
    pass.copy(dst, src, pass, {count, to, from, 1, 0, 0, prefetch});
  if (pattern.longs.empty()) return;
  for (std::int64_t i = 0; i < count; ++i, dst += to, src += from)
    for (const LongMove& run : pattern.longs)
      copy_long(dst + (kPack ? run.packed : run.user), src + (kPack ? run.user : run.packed), run.bytes);
}

// Shuffles the first repetitions of a pattern of words; returns how many.
template <class M, bool kPack>
GAPLESS_INLINE std::int64_t shuffled_pattern(char* dst, const char* src, const Pattern& pattern, std::int64_t count,
                                             std::int64_t stride) {
  const auto words = [&]<std::int64_t kWords>() __attribute__((always_inline)) {
    if constexpr (kPack)
      return shuffle_words<M, kWords>(dst, src, pattern.words, count, stride);
    else
      return scatter_words<M, kWords>(dst, src, pattern.words, count, stride);
  };
  switch (pattern.word_count) {
    case 2:
      return words.template operator()<2>();
    case 4:
      return words.template operator()<4>();
    case 8:
      return words.template operator()<8>();
    case 16:
      return words.template operator()<16>();
    default:
      return 0;
  }
}

// Repetitions that consist of long runs only.
template <class M, bool kPack>
void all_long(char* dst, const char* src, const Pattern& pattern, std::int64_t count, std::int64_t to,
              std::int64_t from) {
  const auto runs = static_cast<std::int64_t>(pattern.longs.size());
  const std::int64_t stride = kPack ? from : to, apart = stride < 0 ? -stride : stride;
  const bool fills = kPack || apart - pattern.bytes >= runs * kLine;
  with_long_copy<M>(pattern.bytes / runs, count * pattern.bytes, fills, [&](auto copy) __attribute__((always_inline)) {
    for (; count > 0; --count, dst += to, src += from)
      for (const LongMove& run : pattern.longs)
        copy(dst + (kPack ? run.packed : run.user), src + (kPack ? run.user : run.packed), run.bytes);
  });
}

template <class M, bool kPack>
void near_pattern(char* dst, const char* src, const Pattern& pattern, std::int64_t count,
                  std::int64_t stride) noexcept {
  const std::int64_t to = kPack ? pattern.bytes : stride, from = kPack ? stride : pattern.bytes;
  if (kPack ? pattern.pack.empty() : pattern.unpack.empty()) {
    all_long<M, kPack>(dst, src, pattern, count, to, from);
    return;
  }
  const std::int64_t done = shuffled_pattern<M, kPack>(dst, src, pattern, count, stride);
  dst += done * to;
  src += done * from;
  count -= done;
  const bool prefetch = count > kNearBytes / ((stride < 0 ? -stride : stride) + pattern.bytes);
  const bool at_once = pattern.pack.size() + (pattern.longs.empty() ? 0 : 1) == 1;
  const std::int64_t each = at_once ? count : tile_of(stride, pattern.bytes);
  for (; count > 0; count -= each, dst += each * to, src += each * from)
    tile<M, kPack>(dst, src, pattern, least(each, count), stride, prefetch);
}

// The longest batch; longer repetitions are streamed run by run if no run is short.
inline constexpr std::int64_t kPatternBatch = 2048;  // [bytes]
inline constexpr std::int64_t kShortRun = 2 * kLine;

// The distance from a repetition to the one to prefetch [bytes]; 0 if the hardware prefetcher does it.
GAPLESS_INLINE std::int64_t repetition_ahead(const Pattern& pattern, std::int64_t stride) {
  const std::int64_t apart = stride < 0 ? -stride : stride, runs = static_cast<std::int64_t>(pattern.runs.size());
  return apart - pattern.bytes < runs * kLine ? 0 : (kFarAhead / (pattern.bytes + runs * kLine) + 1) * stride;
}

GAPLESS_INLINE void prefetch_repetition(const char* at, const Pattern& pattern) {
  for (const LongMove& run : pattern.runs) prefetch_lines(at + run.user, run.bytes);
}

template <class M>
void far_pack_pattern(char* dst, const char* src, const Pattern& pattern, std::int64_t count,
                      std::int64_t stride) noexcept {
  const bool by_run = pattern.shortest >= kLongMove;
  if (pattern.bytes > kPatternBatch && !by_run) {
    near_pattern<M, true>(dst, src, pattern, count, stride);
    return;
  }
  Stream<M, kPatternBatch> stream(dst);
  const std::int64_t each = by_run ? 1 : kPatternBatch / pattern.bytes;
  const std::int64_t ahead = repetition_ahead(pattern, stride);
  for (std::int64_t left = count; left > 0;) {
    const std::int64_t n = least(each, left);
    if (ahead != 0)
      for (std::int64_t i = 0; i < n; ++i) prefetch_repetition(src + ahead + i * stride, pattern);
    if (by_run) {
      for (const LongMove& run : pattern.runs) stream.append(src + run.user, run.bytes);
    } else {
      near_pattern<M, true>(stream.batch(), src, pattern, n, stride);
      stream.advance(n * pattern.bytes);
    }
    src += n * stride;
    left -= n;
  }
  stream.finish();
}

template <class M>
void far_unpack_pattern(char* dst, const char* src, const Pattern& pattern, std::int64_t count,
                        std::int64_t stride) noexcept {
  if (pattern.shortest < kShortRun) {
    near_pattern<M, false>(dst, src, pattern, count, stride);
    return;
  }
  const std::int64_t ahead = repetition_ahead(pattern, stride);
  for (; count > 0; --count, dst += stride, src += pattern.bytes)
    for (const LongMove& run : pattern.runs) {
      if (ahead != 0) prefetch_ends(dst + run.user + ahead, run.bytes);
      stream_run<M>(dst + run.user, src + run.packed, run.bytes);
    }
  M::fence();
}

// Copies forwards, whatever the two addresses: the C library copies backwards if they are similar modulo a page, and
// nothing prefetches in that direction. It is better for runs of many lines.
template <class M>
void longs(char* dst, const char* src, const Pattern& pattern, std::int64_t count, std::int64_t to,
           std::int64_t from) noexcept {
  constexpr std::int64_t kManyLines = 16384;  // [bytes]
  for (; count > 0; --count, dst += to, src += from)
    for (const LongMove& run : pattern.longs)
      if (run.bytes < kManyLines || crawls(dst + run.packed, src + run.user))
        copy_long(dst + run.packed, src + run.user, run.bytes);
      else
        std::memcpy(dst + run.packed, src + run.user, static_cast<std::size_t>(run.bytes));
}

template <class M>
constexpr PatternKernel pattern_kernel(PassFor* passes) {
  return {"pattern",
          {near_pattern<M, true>, far_pack_pattern<M>},
          {near_pattern<M, false>, far_unpack_pattern<M>},
          passes,
          longs<M>};
}

}  // namespace gapless::kernel::generic

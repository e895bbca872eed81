// Matrices packed by columns. Both sides are processed in squares whose rows are one line each, shuffled in registers,
// so that a line is read once and written once, whole; and in strips, so that the pages of both sides stay in the TLB.
#pragma once

#include "kernel/generic/close.hpp"
#include "kernel/generic/stream.hpp"

namespace gapless::kernel::generic {

// dst[r][c] = src[c][r], in blocks of kBlock bytes; strides are those between rows [bytes].
struct Square {
  char* dst;
  const char* src;
  std::int64_t dst_stride, src_stride;

  template <std::int64_t kBlock>
  GAPLESS_INLINE Square at(std::int64_t r, std::int64_t c) const {
    return {dst + r * dst_stride + c * kBlock, src + c * src_stride + r * kBlock, dst_stride, src_stride};
  }
};

template <class M, bool kStream>
GAPLESS_INLINE void put16(char* dst, Words words) {
  if constexpr (kStream)
    M::stream16(dst, words);
  else
    store_words(dst, words);
}

// Four by four words.
template <class M, bool kStream>
GAPLESS_INLINE void square4(const Square& s) {
  const Words a = load_words(s.src), b = load_words(s.src + s.src_stride), c = load_words(s.src + 2 * s.src_stride),
              d = load_words(s.src + 3 * s.src_stride);
  const Words ab = shuffled<0, 4, 1, 5>(a, b), cd = shuffled<0, 4, 1, 5>(c, d);
  const Words ef = shuffled<2, 6, 3, 7>(a, b), gh = shuffled<2, 6, 3, 7>(c, d);
  put16<M, kStream>(s.dst, shuffled<0, 1, 4, 5>(ab, cd));
  put16<M, kStream>(s.dst + s.dst_stride, shuffled<2, 3, 6, 7>(ab, cd));
  put16<M, kStream>(s.dst + 2 * s.dst_stride, shuffled<0, 1, 4, 5>(ef, gh));
  put16<M, kStream>(s.dst + 3 * s.dst_stride, shuffled<2, 3, 6, 7>(ef, gh));
}

// Two by two double words.
template <class M, bool kStream>
GAPLESS_INLINE void square8(const Square& s) {
  const Words a = load_words(s.src), b = load_words(s.src + s.src_stride);
  put16<M, kStream>(s.dst, shuffled<0, 1, 4, 5>(a, b));
  put16<M, kStream>(s.dst + s.dst_stride, shuffled<2, 3, 6, 7>(a, b));
}

// A square of one line by one line, from squares of 16 bytes.
template <class M, std::int64_t kBlock, bool kStream>
GAPLESS_INLINE void line_square(const Square& s) {
  constexpr std::int64_t kSide = kLine / kBlock, kStep = 16 / kBlock;
#pragma GCC unroll 4
  for (std::int64_t r = 0; r < kSide; r += kStep)
#pragma GCC unroll 4
    for (std::int64_t c = 0; c < kSide; c += kStep) {
      const Square part = s.at<kBlock>(r, c);
      if constexpr (kBlock == 4)
        square4<M, kStream>(part);
      else if constexpr (kBlock == 8)
        square8<M, kStream>(part);
      else
        put16<M, kStream>(part.dst, load_words(part.src));
    }
}

template <std::int64_t kBlock>
GAPLESS_INLINE void edge(const Square& s, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c)
      copy<kBlock>(s.dst + r * s.dst_stride + c * kBlock, s.src + c * s.src_stride + r * kBlock);
}

// Along strips of eight squares, so that all rows of the source that a strip reads stay in the first-level cache and
// the TLB.
template <class M, std::int64_t kBlock, bool kStream>
GAPLESS_INLINE void squares(const Square& s, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kSide = kLine / kBlock, kStrip = 8 * kSide;
  for (std::int64_t column = 0; column < columns; column += kStrip)
    for (std::int64_t r = 0; r < rows; r += kSide)
      for (std::int64_t c = column; c < least(column + kStrip, columns); c += kSide) {
        // Prefetch the lines that the next row of squares reads, and those that it writes. No hardware prefetcher
        // follows so many rows.
        const Square square = s.at<kBlock>(r, c);
#pragma GCC unroll 16
        for (std::int64_t i = 0; i < kSide; ++i) prefetch_near(square.src + kLine, i, square.src_stride);
        if constexpr (!kStream)
#pragma GCC unroll 16
          for (std::int64_t i = 0; i < kSide; ++i) prefetch_near(square.dst, i + kSide, square.dst_stride);
        M::template line_square<kBlock, kStream>(square);
      }
}

template <class M, std::int64_t kBlock, bool kFar>
GAPLESS_INLINE void transpose(const Square& s, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kSide = kLine / kBlock;
  // Lines can be written whole if all rows begin at the same offset in a line.
  const bool lines = s.dst_stride % kLine == 0 && past_line(s.dst) % kBlock == 0;
  const std::int64_t first = lines ? least((kLine - past_line(s.dst)) % kLine / kBlock, columns) : 0;
  const std::int64_t whole = (columns - first) / kSide * kSide, last = first + whole;
  const std::int64_t whole_rows = rows / kSide * kSide;
  edge<kBlock>(s, whole_rows, first);
  const Square middle = s.at<kBlock>(0, first);
  if (kFar && lines) {
    squares<M, kBlock, true>(middle, whole_rows, whole);
    M::fence();
  } else {
    squares<M, kBlock, false>(middle, whole_rows, whole);
  }
  edge<kBlock>(s.at<kBlock>(0, last), whole_rows, columns - last);
  edge<kBlock>(s.at<kBlock>(whole_rows, 0), rows - whole_rows, columns);
}

template <class M, std::int64_t kBlock, bool kPack, bool kFar>
void transposed(char* dst, const char* src, const Nest& nest) noexcept {
  const std::int64_t packed_row = nest.inner_count * kBlock;
  if constexpr (kPack)
    transpose<M, kBlock, kFar>({dst, src, packed_row, nest.inner_stride}, nest.outer_count, nest.inner_count);
  else
    transpose<M, kBlock, kFar>({dst, src, nest.inner_stride, packed_row}, nest.inner_count, nest.outer_count);
}

template <class M, std::int64_t kBlock, bool kFar>
void square(char* dst, const char* src, const SquareShape& shape) noexcept {
  transpose<M, kBlock, kFar>({dst, src, shape.dst_stride, shape.src_stride}, shape.rows, shape.columns);
}

template <class M, std::int64_t kBlock>
constexpr SquareKernel square_kernel(const char* name) {
  return {name, kBlock, {square<M, kBlock, false>, square<M, kBlock, true>}};
}

template <class M, std::int64_t kBlock>
constexpr NestKernel transpose_kernel(const char* name) {
  return {name,
          kBlock,
          {transposed<M, kBlock, true, false>, transposed<M, kBlock, true, true>},
          {transposed<M, kBlock, false, false>, transposed<M, kBlock, false, true>}};
}

}  // namespace gapless::kernel::generic

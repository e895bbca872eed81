// All kernels of one instruction set, made from its Machine, which provides stores of lines past the caches, shuffles
// of close short blocks, and squares of lines.
#pragma once

#include "kernel/generic/listed.hpp"
#include "kernel/generic/nest.hpp"
#include "kernel/generic/paired.hpp"
#include "kernel/generic/pattern.hpp"
#include "kernel/generic/transpose.hpp"

namespace gapless::kernel::generic {

template <class M>
struct Kernels {
#define GAPLESS_NEST(block) nest_kernel<M, ConstantRow<M, block>>("nest_" #block, block)
// Blocks of the given number of 32-byte vectors and up to 16 bytes more, and up to 32 bytes more.
#define GAPLESS_NEST_VECTORS(vectors)                                                    \
  nest_kernel<M, VectorsRow<vectors, 16>>("nest_vectors_" #vectors, -2 * (vectors) - 1), \
      nest_kernel<M, VectorsRow<vectors, 32>>("nest_vectors_" #vectors, -2 * (vectors) - 2)
  static constexpr NestKernel kNests[] = {
      GAPLESS_NEST(1),
      GAPLESS_NEST(2),
      GAPLESS_NEST(3),
      GAPLESS_NEST(4),
      GAPLESS_NEST(5),
      GAPLESS_NEST(6),
      GAPLESS_NEST(7),
      GAPLESS_NEST(8),
      GAPLESS_NEST(9),
      GAPLESS_NEST(10),
      GAPLESS_NEST(11),
      GAPLESS_NEST(12),
      GAPLESS_NEST(13),
      GAPLESS_NEST(14),
      GAPLESS_NEST(15),
      GAPLESS_NEST(16),
      GAPLESS_NEST(20),
      GAPLESS_NEST(24),
      GAPLESS_NEST(28),
      GAPLESS_NEST(32),
      GAPLESS_NEST(36),
      GAPLESS_NEST(40),
      GAPLESS_NEST(44),
      GAPLESS_NEST(48),
      GAPLESS_NEST(52),
      GAPLESS_NEST(56),
      GAPLESS_NEST(60),
      GAPLESS_NEST(64),
      GAPLESS_NEST_VECTORS(2),
      GAPLESS_NEST_VECTORS(3),
      GAPLESS_NEST_VECTORS(4),
      GAPLESS_NEST_VECTORS(5),
      GAPLESS_NEST_VECTORS(6),
      GAPLESS_NEST_VECTORS(7),
      nest_kernel<M, PairRow<16>>("nest_pair_16", -2),
      nest_kernel<M, PairRow<32>>("nest_pair_32", -3),
      nest_kernel<M, PairRow<32>>("nest_pair_32", -4),
      any_nest_kernel<M>(),
  };
#undef GAPLESS_NEST_VECTORS
#undef GAPLESS_NEST

  static constexpr NestKernel kTransposes[] = {
      transpose_kernel<M, 4>("transpose_4"),
      transpose_kernel<M, 8>("transpose_8"),
      transpose_kernel<M, 16>("transpose_16"),
  };

  static constexpr SquareKernel kSquares[] = {
      square_kernel<M, 4>("square_4"),
      square_kernel<M, 8>("square_8"),
      square_kernel<M, 16>("square_16"),
  };

  static constexpr PairedKernel kPaired[] = {
      paired_kernel<M, 4>("paired_4"),   paired_kernel<M, 8>("paired_8"),   paired_kernel<M, 12>("paired_12"),
      paired_kernel<M, 16>("paired_16"), paired_kernel<M, 24>("paired_24"), paired_kernel<M, 32>("paired_32"),
      paired_kernel<M, 0>("paired_any"),
  };

#define GAPLESS_LISTED(block)                                                          \
  listed_kernel<M, block, std::int32_t>(block == 0 ? "listed_any" : "listed_" #block), \
      listed_kernel<M, block, std::int64_t>(block == 0 ? "listed_any" : "listed_" #block)
  static constexpr ListedKernel kListed[] = {
      GAPLESS_LISTED(1),  GAPLESS_LISTED(2),  GAPLESS_LISTED(4),  GAPLESS_LISTED(8),
      GAPLESS_LISTED(12), GAPLESS_LISTED(16), GAPLESS_LISTED(24), GAPLESS_LISTED(32),
      GAPLESS_LISTED(40), GAPLESS_LISTED(48), GAPLESS_LISTED(64), GAPLESS_LISTED(0),
  };
#undef GAPLESS_LISTED

  template <class Offset>
  static constexpr RunsKernel with_lengths(int width) {
    return width == 1   ? runs_kernel<M, Offset, std::int8_t>()
           : width == 2 ? runs_kernel<M, Offset, std::int16_t>()
           : width == 4 ? runs_kernel<M, Offset, std::int32_t>()
                        : runs_kernel<M, Offset, std::int64_t>();
  }
  static constexpr RunsKernel kRuns[] = {
      with_lengths<std::int32_t>(1), with_lengths<std::int32_t>(2), with_lengths<std::int32_t>(4),
      with_lengths<std::int32_t>(8), with_lengths<std::int64_t>(1), with_lengths<std::int64_t>(2),
      with_lengths<std::int64_t>(4), with_lengths<std::int64_t>(8),
  };

  // The passes are half of what a set takes to compile: one whose moves are no wider than another's may take that
  // one's.
  static constexpr Set set(const char* name, PassFor* passes = pass_for<M>) {
    return {
        name,         kNests,      kTransposes,     kSquares, kListed,     kPaired, kRuns, pattern_kernel<M>(passes),
        near_copy<M>, far_copy<M>, stream_lines<M>, fence<M>, kScatters<M>};
  }
};

}  // namespace gapless::kernel::generic

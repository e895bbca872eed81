// The 23 layouts of the expectation tests (Carpen-Amarie, Hunold, Traeff, "MPI Derived Datatypes: Performance
// Expectations and Status Quo", 2016, and its benchmark). Lengths and distances in elements of `b`, n the number of
// elements of data; static layouts are one unit, dynamic ones the whole message.
#pragma once

#include "unit/types.hpp"

namespace gapless::test::expectation {

LayoutPtr base();  // MPI_INT

// Static.
LayoutPtr basetype();
LayoutPtr tiled(std::int64_t a, std::int64_t b);
LayoutPtr block(std::int64_t a, std::int64_t b1, std::int64_t b2);
LayoutPtr bucket(std::int64_t a1, std::int64_t a2, std::int64_t b);
LayoutPtr alternating(std::int64_t a1, std::int64_t a2, std::int64_t b1, std::int64_t b2);
LayoutPtr alternating_aligned(std::int64_t a1, std::int64_t a2, std::int64_t b1, std::int64_t b2);
LayoutPtr tiled_heterogeneous(std::int64_t a, std::int64_t b);  // char, int, double, short
LayoutPtr tiled_struct(std::int64_t a, std::int64_t b, std::int64_t s1, std::int64_t s2);
LayoutPtr alternating_indexed_fixed(std::int64_t a1, std::int64_t a2, std::int64_t b, std::int64_t s);

// Dynamic.
LayoutPtr contig_type(std::int64_t count, const LayoutPtr& unit);
LayoutPtr tiled_vector(std::int64_t n, std::int64_t a, std::int64_t b);
LayoutPtr vector_tiled(std::int64_t n, std::int64_t a, std::int64_t b, std::int64_t s);
LayoutPtr block_indexed(std::int64_t n, std::int64_t a, std::int64_t b1, std::int64_t b2);
LayoutPtr alternating_indexed(std::int64_t n, std::int64_t a1, std::int64_t a2, std::int64_t b1, std::int64_t b2);
LayoutPtr alternating_repeated(std::int64_t n, std::int64_t a1, std::int64_t a2, std::int64_t b);
LayoutPtr alternating_struct(std::int64_t n, std::int64_t a1, std::int64_t a2, std::int64_t b);
LayoutPtr rowcol_full_indexed(std::int64_t n, std::int64_t a);
LayoutPtr rowcol_contiguous_and_indexed(std::int64_t n, std::int64_t a);
LayoutPtr rowcol_struct(std::int64_t n, std::int64_t a);
LayoutPtr blocks(std::int64_t n, std::int64_t a, std::int64_t b, std::int64_t l);
LayoutPtr tiled_struct_indexed_all(std::int64_t n, std::int64_t a, std::int64_t b);
LayoutPtr tiled_struct_indexed_sblocks(std::int64_t n, std::int64_t a, std::int64_t b, std::int64_t s);
LayoutPtr contig_alternating_indexed_fixed(std::int64_t count, std::int64_t a1, std::int64_t a2, std::int64_t b,
                                           std::int64_t s);

}  // namespace gapless::test::expectation

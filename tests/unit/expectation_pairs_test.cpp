// What the expectation tests compare is one layout, described in two ways: it must get one normal form (GL1, GL4).
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <string>

#include "normal/normalise.hpp"
#include "support/oracle.hpp"
#include "unit/expectation_layouts.hpp"
#include "unit/shortened.hpp"

namespace gapless::test {
namespace {

using namespace expectation;
using normal::Form;

bool same(const Form& a, const Form& b) {
  return a.node && b.node && a.offset == b.offset && normal::equal(*a.node, *b.node);
}

// Compares descriptions that the oracle says are one, and counts them: a test in which all pairs differ tests nothing.
class ExpectationPairs : public testing::Test {
 protected:
  ~ExpectationPairs() override { EXPECT_GT(compared_, 0); }

  // Pairs with unlike type maps (a payload rounded down in another way) are no pairs.
  void pair(const LayoutPtr& a, const LayoutPtr& b) {
    if (fused(Oracle(*a).entries()) != fused(Oracle(*b).entries())) return;
    ++compared_;
    const Form form = normal::normalise(*a), other = normal::normalise(*b);
    EXPECT_TRUE(same(form, other)) << shortened(a) << "\nhas " << shortened(normal::text(form)) << "\nbut "
                                   << shortened(b) << "\nhas " << shortened(normal::text(other));
  }

  // The same, for descriptions that must be one.
  void must_pair(const LayoutPtr& a, const LayoutPtr& b) {
    const int before = compared_;
    pair(a, b);
    EXPECT_EQ(compared_, before + 1) << "not the same type map: " << shortened(a) << "\nand " << shortened(b);
  }

  int compared_ = 0;
};

// The parameters of the paper's two variants.
struct Variant {
  std::int64_t a;
  std::int64_t tile_b;
  std::int64_t block_b1, block_b2;
  std::int64_t bucket_a1, bucket_a2, bucket_b;
  std::int64_t alternating_a1, alternating_a2, alternating_b1, alternating_b2;
};

Variant variant(int which, std::int64_t a) {
  if (which == 1) return {a, a + 2, a + 1, a + 3, a - 1, a + 1, a + 2, a - 1, a + 1, a + 1, a + 3};
  return {a, 3 * a, 2 * a, 4 * a, a / 2, 3 * a / 2, 3 * a, a / 2, 3 * a / 2, 2 * a, 4 * a};
}

// Every A of the paper that fits, both variants, few and many units (a multiple of 60, so that all groups come out
// even).
void for_all(const std::function<void(const Variant& v, std::int64_t units)>& body) {
  for (const std::int64_t a : {2, 3, 4, 10, 100, 1000}) {
    for (const int which : {1, 2}) {
      for (const std::int64_t units : {std::int64_t{60}, std::max<std::int64_t>(120, 60000 / a / 60 * 60)}) {
        SCOPED_TRACE("A = " + std::to_string(a) + ", variant " + std::to_string(which) + ", " + std::to_string(units) +
                     " units");
        body(variant(which, a), units);
      }
    }
  }
}

std::vector<LayoutPtr> static_units(const Variant& v) {
  return {
      basetype(),
      tiled(v.a, v.tile_b),
      block(v.a, v.block_b1, v.block_b2),
      bucket(v.bucket_a1, v.bucket_a2, v.bucket_b),
      alternating(v.alternating_a1, v.alternating_a2, v.alternating_b1, v.alternating_b2),
      alternating_aligned(v.alternating_a1, v.alternating_a2, v.alternating_b1, v.alternating_b2),
      tiled_heterogeneous(v.a, v.a),
      tiled_heterogeneous(v.a, v.tile_b),
      tiled_struct(v.a, v.tile_b, 2, 3),
      alternating_indexed_fixed(v.alternating_a1, v.alternating_a2, 2 * v.a + 1, 5),
  };
}

// ET2: where no alignment leaves a gap, four types are bytes.
TEST_F(ExpectationPairs, ET2_TiledHeterogeneousWithoutGapsIsContiguous) {
  for (const std::int64_t a : {8, 16, 128, 200})
    must_pair(contig_type(10, tiled_heterogeneous(a, a)), layout::contiguous(150 * a, type("byte")));
}

// ET4 and GL1: a count of units, however it is split between message and type.
TEST_F(ExpectationPairs, ET4_ContiguousSubtype) {
  for_all([&](const Variant& v, std::int64_t units) {
    for (const LayoutPtr& unit : static_units(v)) {
      if (units * unit->size > 800'000) continue;
      const LayoutPtr message = contig_type(units, unit);
      must_pair(message, contig_type(1, message));
      must_pair(message, contig_type(units / 5, contig_type(5, unit)));
      must_pair(message, contig_type(2, contig_type(3, contig_type(units / 6, unit))));
    }
  });
}

TEST_F(ExpectationPairs, ET5_TiledAndTiledStruct) {
  for_all([&](const Variant& v, std::int64_t units) {
    const LayoutPtr message = contig_type(units, tiled(v.a, v.tile_b));
    must_pair(message, contig_type(units / 2, tiled_struct(v.a, v.tile_b, 1, 1)));
    must_pair(message, contig_type(units / 5, tiled_struct(v.a, v.tile_b, 2, 3)));
    must_pair(message, tiled_struct(v.a, v.tile_b, 7, units - 7));
  });
}

TEST_F(ExpectationPairs, ET6_TiledAndTiledVector) {
  for_all([&](const Variant& v, std::int64_t units) {
    must_pair(contig_type(units, tiled(v.a, v.tile_b)), tiled_vector(units * v.a, v.a, v.tile_b));
  });
}

TEST_F(ExpectationPairs, ET7_TiledAndVectorTiled) {
  for_all([&](const Variant& v, std::int64_t units) {
    for (const std::int64_t s : {2, 5, 10, 12})
      must_pair(contig_type(units, tiled(v.a, v.tile_b)), vector_tiled(units * v.a, v.a, v.tile_b, s));
  });
}

TEST_F(ExpectationPairs, ET8_BlockAndBlockIndexed) {
  for_all([&](const Variant& v, std::int64_t units) {
    must_pair(contig_type(units, block(v.a, v.block_b1, v.block_b2)),
              block_indexed(units * 2 * v.a, v.a, v.block_b1, v.block_b2));
  });
}

TEST_F(ExpectationPairs, ET8_OddNumberOfBlocks) {
  for_all([&](const Variant& v, std::int64_t units) {
    const LayoutPtr list = block_indexed(units * v.a + v.a, v.a, v.block_b1, v.block_b2);
    const std::int64_t extent = 4 * (v.block_b1 + v.block_b2);
    must_pair(list, structure({units / 2, v.a}, {0, units / 2 * extent}, {block(v.a, v.block_b1, v.block_b2), base()}));
  });
}

TEST_F(ExpectationPairs, ET9_AlternatingAndAlternatingIndexed) {
  for_all([&](const Variant& v, std::int64_t units) {
    const LayoutPtr list = alternating_indexed(units * (v.alternating_a1 + v.alternating_a2), v.alternating_a1,
                                               v.alternating_a2, v.alternating_b1, v.alternating_b2);
    must_pair(contig_type(units, alternating(v.alternating_a1, v.alternating_a2, v.alternating_b1, v.alternating_b2)),
              list);
    must_pair(
        contig_type(units, alternating_aligned(v.alternating_a1, v.alternating_a2, v.alternating_b1, v.alternating_b2)),
        list);
  });
}

TEST_F(ExpectationPairs, ET9_BucketAndItsIndexList) {
  for_all([&](const Variant& v, std::int64_t units) {
    must_pair(
        contig_type(units, bucket(v.bucket_a1, v.bucket_a2, v.bucket_b)),
        alternating_indexed(units * (v.bucket_a1 + v.bucket_a2), v.bucket_a1, v.bucket_a2, v.bucket_b, v.bucket_b));
  });
}

// Runs fuse across the boundary between repetitions.
TEST_F(ExpectationPairs, ET10_AlternatingRepeatedAndAlternatingStruct) {
  for_all([&](const Variant& v, std::int64_t units) {
    const std::int64_t a1 = v.alternating_a1, a2 = v.alternating_a2;
    for (const std::int64_t b : {v.a + 1, 2 * v.a})
      must_pair(alternating_repeated(units * (a1 + a2), a1, a2, b), alternating_struct(units * (a1 + a2), a1, a2, b));
  });
}

TEST_F(ExpectationPairs, ET10_AlternatingRepeatedAndItsIndexList) {
  for_all([&](const Variant& v, std::int64_t units) {
    const std::int64_t a1 = v.alternating_a1, a2 = v.alternating_a2, b = v.a + 1;
    const LayoutPtr repeated = alternating_repeated(units * (a1 + a2), a1, a2, b);
    must_pair(repeated, alternating_indexed_fixed(a1, a2, b + a2, units + 1));
    must_pair(repeated, contig_alternating_indexed_fixed(units / 4, a1, a2, b + a2, 5));
    must_pair(repeated, alternating_indexed(units * (a1 + a2), a1, a2, b, a2));
  });
}

TEST_F(ExpectationPairs, ET11_RowAndColumnThreeWays) {
  for (const std::int64_t n : {100, 10240}) {
    for (const std::int64_t a : {2, 10, 100, 128, 512, 1000, 1024, 5000, 10000}) {
      if (a >= n - 1) continue;
      SCOPED_TRACE("A = " + std::to_string(a) + ", n = " + std::to_string(n));
      must_pair(rowcol_struct(n, a), rowcol_contiguous_and_indexed(n, a));
      must_pair(rowcol_struct(n, a), rowcol_full_indexed(n, a));
      must_pair(rowcol_full_indexed(n, a), rowcol_contiguous_and_indexed(n, a));
    }
  }
}

TEST_F(ExpectationPairs, TiledCutInItsFirstAndLastTile) {
  for_all([&](const Variant& v, std::int64_t units) {
    must_pair(contig_type(units, tiled(v.a, v.tile_b)), tiled_struct_indexed_all(units * v.a, v.a, v.tile_b));
  });
}

TEST_F(ExpectationPairs, TiledInGroupsCutBehindTheirFirstElement) {
  for_all([&](const Variant& v, std::int64_t units) {
    for (const std::int64_t s : {2, 5})
      must_pair(contig_type(units, tiled(v.a, v.tile_b)), tiled_struct_indexed_sblocks(units * v.a, v.a, v.tile_b, s));
  });
}

TEST_F(ExpectationPairs, BlocksAndTiledVector) {
  for_all([&](const Variant& v, std::int64_t units) {
    const std::int64_t times = 3, a = v.a * times, b = v.tile_b * times;
    must_pair(blocks(units * v.a, v.a, v.tile_b, a + 1), tiled_vector(units * v.a, a, b));
  });
}

// Every pair of all layouts that can be built with the same parameters: what is equal must have equal forms, whoever
// thought of comparing it.
TEST_F(ExpectationPairs, AnyTwoOfAllThatAreEqual) {
  for (const std::int64_t a : {2, 4, 10}) {
    for (const int which : {1, 2}) {
      const Variant v = variant(which, a);
      const std::int64_t n = 60 * 2 * a, a1 = v.alternating_a1, a2 = v.alternating_a2;
      std::vector<LayoutPtr> all;
      for (const LayoutPtr& unit : static_units(v)) all.push_back(contig_type(4 * n / unit->size, unit));
      for (const LayoutPtr& type :
           {tiled_vector(n, a, v.tile_b), vector_tiled(n, a, v.tile_b, 4), block_indexed(n, a, v.block_b1, v.block_b2),
            alternating_indexed(n, a1, a2, v.alternating_b1, v.alternating_b2), alternating_repeated(n, a1, a2, a + 1),
            alternating_struct(n, a1, a2, a + 1), rowcol_full_indexed(n, a), rowcol_contiguous_and_indexed(n, a),
            rowcol_struct(n, a), blocks(n, a, v.tile_b, a), tiled_struct_indexed_all(n, a, v.tile_b),
            tiled_struct_indexed_sblocks(n, a, v.tile_b, 3),
            contig_alternating_indexed_fixed(n / (4 * (a1 + a2)), a1, a2, a + 1 + a2, 5), contig_type(n, basetype()),
            tiled_struct(a, v.tile_b, 1, n / a - 1)})
        all.push_back(type);
      for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) pair(all[j], all[i]);
      }
    }
  }
}

}  // namespace
}  // namespace gapless::test

// Families beyond the expectation tests: index lists that are regular, boxes, pieces of any kind.
#include <gtest/gtest.h>

#include <string>

#include "normal/normalise.hpp"
#include "support/oracle.hpp"
#include "unit/shortened.hpp"
#include "unit/types.hpp"

namespace gapless::test {
namespace {

using normal::Form;

void expect_equal_forms(const std::vector<LayoutPtr>& family) {
  const auto runs = fused(Oracle(*family[0]).entries());
  const Form first = normal::normalise(*family[0]);
  for (const LayoutPtr& type : family) {
    ASSERT_EQ(fused(Oracle(*type).entries()), runs) << "the test is wrong: " << shortened(type);
    const Form form = normal::normalise(*type);
    EXPECT_TRUE(form.offset == first.offset && normal::equal(*form.node, *first.node))
        << shortened(type) << "\nhas " << shortened(normal::text(form)) << "\nnot " << shortened(normal::text(first));
  }
}

LayoutPtr int32() {
  return type("int32");
}

// Pieces of every kind: one run, a hole inside, a loop, a loop in a loop, unlike members, backwards.
std::vector<LayoutPtr> pieces() {
  return {
      int32(),
      type("double_int"),
      layout::vector(3, 1, 2, int32()),
      layout::vector(2, 1, 5, layout::resized(0, 4, layout::vector(3, 1, 4, int32()))),
      structure({1, 1}, {0, 24}, {layout::vector(2, 1, 2, type("double")), type("short_int")}),
      layout::indexed(Numbers{1, 3, 1}, Numbers{0, 2, 9}, int32()),
      layout::indexed_block(1, Numbers{0, 3, 5, 11}, int32()),
      layout::vector(3, 2, -4, int32()),
      layout::subarray(Numbers{5, 5, 5}, Numbers{2, 3, 2}, Numbers{1, 1, 1}, layout::Order::kC, int32()),
  };
}

// A list with one distance is a vector, whatever its pieces are.
TEST(EqualDescriptions, ArithmeticListsOfAnyPiece) {
  for (const LayoutPtr& piece : pieces()) {
    for (const std::int64_t n : {2, 3, 4, 7, 100, 1000}) {
      for (const std::int64_t gap : {4, 28}) {
        const std::int64_t stride = piece->extent + gap;
        Numbers displacements;
        for (std::int64_t i = 0; i < n; ++i) displacements.push_back(i * stride);
        expect_equal_forms({
            layout::hvector(n, 1, stride, piece),
            layout::hindexed_block(1, displacements, piece),
            layout::hindexed(Numbers(displacements.size(), 1), displacements, piece),
            structure(Numbers(displacements.size(), 1), displacements,
                      std::vector<LayoutPtr>(displacements.size(), piece)),
            layout::contiguous(n, layout::resized(0, stride, piece)),
            structure({1, 1}, {0, stride}, {piece, layout::hvector(n - 1, 1, stride, piece)}),
            structure({1, 1}, {0, (n - 1) * stride}, {layout::hvector(n - 1, 1, stride, piece), piece}),
        });
      }
    }
  }
}

// A list whose distances repeat is a repetition of one period.
TEST(EqualDescriptions, PeriodicListsOfAnyPiece) {
  for (const LayoutPtr& piece : pieces()) {
    for (const std::size_t period : {2, 3, 5}) {
      for (const std::size_t repetitions : {2, 3, 40}) {
        Numbers unit{0};
        for (std::size_t i = 1; i <= period; ++i)
          unit.push_back(unit.back() + piece->extent + 4 * static_cast<std::int64_t>(i * i));
        const std::int64_t extent = unit.back();
        unit.pop_back();
        Numbers all;
        for (std::size_t i = 0; i < period * repetitions; ++i)
          all.push_back(unit[i % period] + static_cast<std::int64_t>(i / period) * extent);
        expect_equal_forms({
            layout::hvector(static_cast<std::int64_t>(repetitions), 1, extent, layout::hindexed_block(1, unit, piece)),
            layout::hindexed_block(1, all, piece),
            structure(Numbers(all.size(), 1), all, std::vector<LayoutPtr>(all.size(), piece)),
        });
      }
    }
  }
}

TEST(EqualDescriptions, ListsOfAHundredThousandEntries) {
  Numbers arithmetic, periodic, lengths;
  for (std::int64_t i = 0; i < 100'000; ++i) {
    arithmetic.push_back(3 * i);
    periodic.push_back(10 * (i / 2) + (i % 2) * 4);
    lengths.push_back(1 + i % 2);
  }
  expect_equal_forms({layout::vector(100'000, 1, 3, int32()), layout::indexed_block(1, arithmetic, int32())});
  expect_equal_forms(
      {layout::contiguous(50'000, layout::resized(0, 40, layout::indexed_block(1, Numbers{0, 4}, int32()))),
       layout::indexed_block(1, periodic, int32())});
  expect_equal_forms(
      {layout::contiguous(50'000, layout::resized(0, 40, layout::indexed(Numbers{1, 2}, Numbers{0, 4}, int32()))),
       layout::indexed(lengths, periodic, int32())});
}

TEST(EqualDescriptions, SubarrayAndNestedVectors) {
  for (const std::int64_t z : {1, 3, 8}) {
    for (const std::int64_t y : {1, 4, 7}) {
      for (const std::int64_t x : {1, 2, 9}) {
        const LayoutPtr row = layout::contiguous(x, int32());
        Numbers rows;
        for (std::int64_t i = 0; i < z; ++i)
          for (std::int64_t j = 0; j < y; ++j) rows.push_back((i * 7 + j) * 9);
        expect_equal_forms({
            layout::subarray(Numbers{8, 7, 9}, Numbers{z, y, x}, Numbers{0, 0, 0}, layout::Order::kC, int32()),
            layout::subarray(Numbers{9, 7, 8}, Numbers{x, y, z}, Numbers{0, 0, 0}, layout::Order::kFortran, int32()),
            layout::hvector(z, 1, 4 * 7 * 9, layout::vector(y, x, 9, int32())),
            layout::hvector(z, 1, 4 * 7 * 9, layout::hvector(y, 1, 4 * 9, row)),
            layout::indexed_block(x, rows, int32()),
        });
      }
    }
  }
}

// (AB)(AB)(AB) is A (BA)(BA) B, and where an end fuses with the next beginning, it is neither.
TEST(EqualDescriptions, RepetitionsCutElsewhere) {
  const LayoutPtr a = layout::vector(2, 1, 2, int32()), b = type("double_int");
  for (const std::int64_t n : {2, 3, 10}) {
    for (const std::int64_t gap : {0, 8}) {
      const std::int64_t at = 16, stride = 32 + gap;
      const LayoutPtr ab = structure({1, 1}, {0, at}, {a, b}), ba = structure({1, 1}, {0, stride - at}, {b, a});
      const LayoutPtr twice = structure({1, 1}, {0, stride}, {ab, ab});
      const LayoutPtr one = layout::hvector(n, 1, stride, ab);
      expect_equal_forms({
          one,
          structure({1, 1, 1}, {0, at, (n - 1) * stride + at}, {a, layout::hvector(n - 1, 1, stride, ba), b}),
          structure({1, 1}, {0, (n - 1) * stride}, {layout::hvector(n - 1, 1, stride, ab), ab}),
      });
      expect_equal_forms({layout::hvector(2 * n, 1, stride, ab), layout::hvector(n, 1, 2 * stride, twice)});
    }
  }
}

}  // namespace
}  // namespace gapless::test

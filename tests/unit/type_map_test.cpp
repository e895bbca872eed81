// Known type maps: the examples of the MPI standard (MPI 4.1, chapter 5), by the oracle and by the layout's own bounds.
#include <gtest/gtest.h>

#include "layout/layout.hpp"
#include "notation/print.hpp"
#include "support/oracle.hpp"
#include "unit/types.hpp"

namespace gapless::test {
namespace {

using Entries = std::vector<Entry>;

void expect_type(const LayoutPtr& type, const Entries& entries, std::int64_t lb, std::int64_t extent) {
  const Oracle oracle(*type);
  EXPECT_EQ(oracle.entries(), entries) << notation::print(*type);
  EXPECT_EQ(oracle.bounds().lb, lb) << notation::print(*type);
  EXPECT_EQ(oracle.bounds().extent(), extent) << notation::print(*type);
  EXPECT_EQ(type->lb, lb) << notation::print(*type);
  EXPECT_EQ(type->extent, extent) << notation::print(*type);
  EXPECT_EQ(type->size, oracle.bounds().size) << notation::print(*type);
  EXPECT_EQ(type->true_lb, oracle.bounds().true_lb) << notation::print(*type);
  EXPECT_EQ(type->true_extent, oracle.bounds().true_extent()) << notation::print(*type);
}

// {(double, 0), (char, 8)}: extent 16, rounded up to the double's alignment.
LayoutPtr double_char() {
  return structure({1, 1}, {0, 8}, {type("double"), type("char")});
}

TEST(TypeMap, StructIsRoundedUpToItsAlignment) {
  expect_type(double_char(), {{0, 8}, {8, 1}}, 0, 16);
  expect_type(structure({1, 1}, {0, 8}, {type("char"), type("double")}), {{0, 1}, {8, 8}}, 0, 16);
  expect_type(structure({1, 1}, {4, 0}, {type("char"), type("int32")}), {{4, 1}, {0, 4}}, 0, 8);
}

TEST(TypeMap, MembersWithoutElementsDoNotAlign) {
  expect_type(structure({3, 0}, {0, 8}, {type("char"), type("double")}), {{0, 1}, {1, 1}, {2, 1}}, 0, 3);
}

TEST(TypeMap, Contiguous) {
  expect_type(layout::contiguous(3, double_char()), {{0, 8}, {8, 1}, {16, 8}, {24, 1}, {32, 8}, {40, 1}}, 0, 48);
  expect_type(layout::contiguous(0, type("double")), {}, 0, 0);
}

TEST(TypeMap, Vector) {
  // Two copies of three blocks, four elements apart.
  expect_type(
      layout::vector(2, 3, 4, double_char()),
      {{0, 8}, {8, 1}, {16, 8}, {24, 1}, {32, 8}, {40, 1}, {64, 8}, {72, 1}, {80, 8}, {88, 1}, {96, 8}, {104, 1}}, 0,
      112);
  expect_type(layout::vector(3, 1, -2, double_char()), {{0, 8}, {8, 1}, {-32, 8}, {-24, 1}, {-64, 8}, {-56, 1}}, -64,
              80);
}

TEST(TypeMap, Hvector) {
  expect_type(layout::hvector(3, 2, 9, type("int16")), {{0, 2}, {2, 2}, {9, 2}, {11, 2}, {18, 2}, {20, 2}}, 0, 22);
}

TEST(TypeMap, Indexed) {
  expect_type(layout::indexed(Numbers{3, 1}, Numbers{4, 0}, double_char()),
              {{64, 8}, {72, 1}, {80, 8}, {88, 1}, {96, 8}, {104, 1}, {0, 8}, {8, 1}}, 0, 112);
  expect_type(layout::hindexed(Numbers{1, 2}, Numbers{7, -3}, type("int16")), {{7, 2}, {-3, 2}, {-1, 2}}, -3, 12);
}

TEST(TypeMap, IndexedBlock) {
  expect_type(layout::indexed_block(2, Numbers{5, 0}, type("int32")), {{20, 4}, {24, 4}, {0, 4}, {4, 4}}, 0, 28);
  expect_type(layout::hindexed_block(1, Numbers{3, 1}, type("byte")), {{3, 1}, {1, 1}}, 1, 3);
}

TEST(TypeMap, Struct) {
  // The standard's example: {(float, 0), (type1, 16), (char, 26)} with block lengths 2, 1, 3.
  expect_type(structure({2, 1, 3}, {0, 16, 26}, {type("float"), double_char(), type("char")}),
              {{0, 4}, {4, 4}, {16, 8}, {24, 1}, {26, 1}, {27, 1}, {28, 1}}, 0, 32);
}

TEST(TypeMap, SubarrayInBothOrders) {
  const Numbers sizes{3, 4}, subsizes{2, 2}, starts{1, 2};
  expect_type(layout::subarray(sizes, subsizes, starts, layout::Order::kC, type("int32")),
              {{24, 4}, {28, 4}, {40, 4}, {44, 4}}, 0, 48);
  expect_type(layout::subarray(sizes, subsizes, starts, layout::Order::kFortran, type("int32")),
              {{28, 4}, {32, 4}, {40, 4}, {44, 4}}, 0, 48);
}

TEST(TypeMap, ResizedDecides) {
  const LayoutPtr wide = layout::resized(-3, 9, type("int32"));
  expect_type(wide, {{0, 4}}, -3, 9);
  expect_type(layout::contiguous(2, wide), {{0, 4}, {9, 4}}, -3, 18);
  // The standard's example: explicit bounds of two members, -3..6 and 6..15.
  expect_type(structure({1, 1}, {0, 9}, {wide, wide}), {{0, 4}, {9, 4}}, -3, 18);
  // Explicit bounds count alone, and are not rounded up.
  expect_type(structure({1, 1}, {0, 100}, {wide, type("double")}), {{0, 4}, {100, 8}}, -3, 9);
  expect_type(layout::resized(0, 8, wide), {{0, 4}}, 0, 8);
}

TEST(TypeMap, NegativeExtent) {
  const LayoutPtr backwards = layout::resized(0, -8, type("int32"));
  expect_type(layout::contiguous(3, backwards), {{0, 4}, {-8, 4}, {-16, 4}}, -16, 8);
}

TEST(TypeMap, BoundsOfAnEmptyMember) {
  const LayoutPtr nothing = layout::contiguous(0, type("double"));
  expect_type(structure({1, 1}, {0, 64}, {type("int32"), nothing}), {{0, 4}}, 0, 4);
  expect_type(structure({1, 1}, {0, 64}, {type("int32"), layout::resized(0, 8, nothing)}), {{0, 4}}, 64, 8);
}

TEST(TypeMap, PairTypesHaveHoles) {
  expect_type(type("double_int"), {{0, 12}}, 0, 16);  // at its end
  expect_type(layout::contiguous(2, type("short_int")), {{0, 2}, {4, 4}, {8, 2}, {12, 4}}, 0, 16);
  EXPECT_EQ(type("short_int")->size, 6);
}

TEST(TypeMap, DupIsTheSame) {
  expect_type(layout::dup(double_char()), {{0, 8}, {8, 1}}, 0, 16);
}

TEST(TypeMap, EveryNamedTypeIsFoundByName) {
  for (const layout::Named& named : layout::named_types()) {
    EXPECT_EQ(layout::find_named(named.name), &named);
    EXPECT_EQ(layout::named(named)->size, Oracle(*layout::named(named)).bounds().size) << named.name;
  }
  EXPECT_EQ(layout::find_named("no such type"), nullptr);
}

TEST(TypeMap, DepthCountsConstructors) {
  EXPECT_EQ(type("int32")->depth, 1);
  EXPECT_EQ(layout::dup(layout::vector(2, 1, 2, layout::contiguous(0, type("int32"))))->depth, 4);
  EXPECT_EQ(structure({1, 0}, {0, 8}, {type("int32"), layout::dup(type("double"))})->depth, 3);
}

}  // namespace
}  // namespace gapless::test

// Families of descriptions of one layout that must get one normal form (GL4 as a data structure).
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "normal/normalise.hpp"
#include "notation/print.hpp"
#include "plan/plan.hpp"
#include "support/oracle.hpp"
#include "unit/types.hpp"

namespace gapless::test {
namespace {

using normal::Form;
using normal::Kind;

std::string text(const LayoutPtr& type) {
  return normal::text(normal::normalise(*type));
}

// All describe the same sequence of runs (the oracle says so), and all get the normal form `expected`.
void expect_one_form(const std::vector<LayoutPtr>& family, const std::string& expected) {
  const Form first = normal::normalise(*family[0]);
  const auto runs = fused(Oracle(*family[0]).entries());
  EXPECT_EQ(normal::text(first), expected) << notation::print(*family[0]);
  for (const LayoutPtr& type : family) {
    ASSERT_EQ(fused(Oracle(*type).entries()), runs) << "the test is wrong: " << notation::print(*type);
    const Form form = normal::normalise(*type);
    EXPECT_TRUE(normal::equal(*form.node, *first.node) && form.offset == first.offset)
        << notation::print(*type) << "\n  has " << normal::text(form) << "\n  not " << normal::text(first);
  }
}

LayoutPtr int32() {
  return type("int32");
}

// A of every B elements.
LayoutPtr tile(std::int64_t a, std::int64_t b) {
  return layout::resized(0, 4 * b, layout::contiguous(a, int32()));
}

TEST(NormalForm, OneColumn) {
  expect_one_form(
      {
          layout::vector(6, 1, 5, int32()),
          layout::hvector(6, 1, 20, int32()),
          layout::indexed(Numbers(6, 1), Numbers{0, 5, 10, 15, 20, 25}, int32()),
          layout::hindexed(Numbers(6, 1), Numbers{0, 20, 40, 60, 80, 100}, int32()),
          layout::indexed_block(1, Numbers{0, 5, 10, 15, 20, 25}, int32()),
          layout::hindexed_block(1, Numbers{0, 20, 40, 60, 80, 100}, int32()),
          layout::contiguous(6, layout::resized(0, 20, int32())),
          layout::subarray(Numbers{6, 5}, Numbers{6, 1}, Numbers{0, 0}, layout::Order::kC, int32()),
          layout::subarray(Numbers{5, 6}, Numbers{1, 6}, Numbers{0, 0}, layout::Order::kFortran, int32()),
          layout::dup(layout::vector(6, 1, 5, layout::dup(int32()))),
          layout::vector(3, 1, 2, layout::resized(0, 20, layout::vector(2, 1, 5, int32()))),
          layout::hvector(6, 4, 20, type("byte")),
          structure(Numbers(6, 1), {0, 20, 40, 60, 80, 100}, std::vector<LayoutPtr>(6, int32())),
      },
      "loop(6, 20, run(4))");
}

TEST(NormalForm, TheOffsetIsKeptBesideTheNode) {
  const LayoutPtr column = layout::subarray(Numbers{6, 5}, Numbers{6, 1}, Numbers{0, 3}, layout::Order::kC, int32());
  const Form form = normal::normalise(*column), at_zero = normal::normalise(*layout::vector(6, 1, 5, int32()));
  EXPECT_EQ(form.offset, 12);
  EXPECT_TRUE(normal::equal(*form.node, *at_zero.node));
}

// The layouts of Expectation Tests 4 to 7: c units of A of every B elements.
TEST(NormalForm, Tiled) {
  for (const auto& [a, b] : {std::pair{2, 4}, {10, 12}, {3, 9}}) {
    const std::int64_t count = 60, bytes = 4 * b;
    const LayoutPtr tiled_struct = layout::resized(
        0, 5 * bytes,
        structure({1, 1}, {0, 2 * bytes}, {layout::contiguous(2, tile(a, b)), layout::contiguous(3, tile(a, b))}));
    expect_one_form(
        {
            layout::contiguous(count, tile(a, b)),
            layout::resized(0, count * bytes, layout::vector(count, a, b, int32())),
            layout::hvector(count / 5, 1, 5 * bytes, layout::vector(5, a, b, int32())),
            layout::hvector(count / 20, 1, 20 * bytes,
                            layout::hvector(4, 1, 5 * bytes, layout::vector(5, a, b, int32()))),
            layout::contiguous(count / 5, tiled_struct),
        },
        "loop(60, " + std::to_string(bytes) + ", run(" + std::to_string(4 * a) + "))");
  }
}

TEST(NormalForm, Dense) {
  expect_one_form(
      {
          layout::contiguous(24, int32()),
          layout::vector(6, 4, 4, int32()),
          layout::contiguous(2, layout::contiguous(3, layout::contiguous(4, int32()))),
          layout::subarray(Numbers{4, 6}, Numbers{4, 6}, Numbers{0, 0}, layout::Order::kC, int32()),
          layout::indexed(Numbers{1, 2, 3, 18}, Numbers{0, 1, 3, 6}, int32()),
          structure({4, 3, 2, 0, 24}, {0, 16, 40, 1000, 72},
                    {int32(), type("double"), type("double_complex"), int32(), type("byte")}),
      },
      "run(96)");
}

TEST(NormalForm, NestedVectorsCollapse) {
  const LayoutPtr inner = layout::vector(4, 2, 3, int32());  // extent 11 elements
  expect_one_form({layout::hvector(5, 1, 48, inner), layout::vector(20, 2, 3, int32())}, "loop(20, 12, run(8))");
}

TEST(NormalForm, TwoDimensionsStayTwo) {
  expect_one_form(
      {
          layout::subarray(Numbers{7, 6, 5}, Numbers{3, 2, 2}, Numbers{0, 0, 0}, layout::Order::kC, int32()),
          layout::hvector(3, 1, 120, layout::vector(2, 2, 5, int32())),
      },
      "loop(3, 120, loop(2, 20, run(8)))");
}

TEST(NormalForm, AdjacentPiecesFuse) {
  EXPECT_EQ(text(structure({1, 1, 1}, {0, 4, 8}, {int32(), type("float"), type("double")})), "run(16)");
  EXPECT_EQ(text(layout::contiguous(5, structure({1, 1}, {0, 4}, {int32(), int32()}))), "run(40)");
  EXPECT_EQ(text(layout::indexed(Numbers{2, 0, 2}, Numbers{0, 77, 2}, int32())), "run(16)");
}

// A run that only its memory order would fuse stays apart: packed bytes are in type-map order.
TEST(NormalForm, OrderIsSacred) {
  const Form form = normal::normalise(*layout::indexed(Numbers{1, 1}, Numbers{1, 0}, int32()));
  EXPECT_EQ(form.node->runs, 2);
  EXPECT_EQ(form.offset, 4);
  EXPECT_EQ(form.node->low, -4);
  const Form backwards = normal::normalise(*layout::vector(3, 1, -1, int32()));
  EXPECT_EQ(normal::text(backwards), "loop(3, -4, run(4))");
}

TEST(NormalForm, IrregularEqualBlocksAreATable) {
  const Form form = normal::normalise(*layout::indexed_block(1, Numbers{2, 7, 9, 30}, int32()));
  ASSERT_EQ(form.node->kind, Kind::kTable);
  EXPECT_EQ(form.offset, 8);
  EXPECT_EQ(form.node->offsets.to_vector(), (Numbers{0, 20, 28, 112}));
}

TEST(NormalForm, Disjoint) {
  EXPECT_TRUE(normal::normalise(*layout::vector(5, 1, 2, int32())).node->disjoint);
  EXPECT_FALSE(normal::normalise(*layout::hvector(5, 1, 3, int32())).node->disjoint);
  EXPECT_FALSE(normal::normalise(*layout::hvector(5, 1, 0, int32())).node->disjoint);
  // Columns: the elements interleave without touching.
  const LayoutPtr column = layout::resized(0, 4, layout::vector(6, 1, 5, int32()));
  EXPECT_TRUE(normal::normalise(*layout::contiguous(5, column)).node->disjoint);
  EXPECT_FALSE(normal::normalise(*layout::contiguous(6, column)).node->disjoint);
}

TEST(NormalForm, NoDataNoNode) {
  EXPECT_EQ(normal::normalise(*layout::contiguous(0, int32())).node, nullptr);
  EXPECT_EQ(normal::normalise(*layout::resized(-8, 64, layout::vector(3, 0, 9, int32()))).node, nullptr);
  EXPECT_EQ(normal::normalise(*structure({}, {}, {})).node, nullptr);
}

// The cost is that of the description: a form of a huge type is found at once.
TEST(NormalForm, HugeCounts) {
  const std::int64_t count = std::int64_t{1} << 40;
  EXPECT_EQ(text(layout::vector(count, 1, 2, int32())), "loop(1099511627776, 8, run(4))");
}

// A description is a graph: types that share parts many times over must not be expanded into a tree. Both descriptions
// have a few dozen numbers and, written out, millions of runs or more; only linear work ends within a test's patience.
TEST(NormalForm, SharedPartsStayShared) {
  LayoutPtr twice = structure({1, 1}, {0, 5}, {int32(), type("byte")});
  for (int depth = 0; depth < 40; ++depth)
    twice = structure({1, 1, 1}, {0, twice->extent + 8, 2 * twice->extent + 40}, {twice, twice, type("byte")});
  const plan::PlanPtr plan = plan::compile(*twice);
  EXPECT_EQ(plan->size(), twice->size);

  LayoutPtr crossed = structure({1, 1}, {0, 5}, {int32(), type("byte")});
  for (int depth = 0; depth < 24; ++depth) {
    const std::int64_t extent = crossed->extent;
    const LayoutPtr left = structure({1, 1}, {0, extent + 8}, {crossed, type("byte")});
    const LayoutPtr right = structure({1, 1}, {0, extent + 16}, {crossed, type("byte")});
    crossed = structure({1, 1}, {0, left->extent + 3}, {left, right});
  }
  const normal::Form form = normal::normalise(*crossed);
  EXPECT_EQ(form.node->bytes, crossed->size);
  EXPECT_LE(form.node->parts.size(), 256u);
}

TEST(NormalForm, TraceCountsRules) {
  normal::Trace trace;
  normal::normalise(*layout::indexed(Numbers{1, 1, 1}, Numbers{0, 2, 4}, int32()), &trace);
  ASSERT_EQ(trace.hits.size(), normal::rule_names().size());
  std::int64_t hits = 0;
  for (const std::int64_t hit : trace.hits) hits += hit;
  EXPECT_GT(hits, 0);
}

// Legal types at the ends of the 64 bits. The sanitizers' build is what catches a sum that wraps on the way.
TEST(NormalForm, NumbersAtTheEndsOfTheirRange) {
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  // An extent without an opposite.
  EXPECT_EQ(normal::text(normal::normalise_message(*layout::resized(0, kMin, int32())).one), "run(4)");
  // Empty blocks stand anywhere.
  Numbers lengths(100, 1), places(100);
  for (std::size_t i = 0; i < 100; ++i) places[i] = 8 * static_cast<std::int64_t>(i);
  lengths[50] = lengths[70] = 0;
  places[50] = kMax;
  places[70] = kMin;
  EXPECT_EQ(normal::normalise(*layout::indexed(lengths, places, int32())).node->runs, 98);
  // Lists that begin at the smallest number.
  for (std::size_t i = 0; i < 100; ++i) places[i] = kMin + static_cast<std::int64_t>(8 * i + 4 * (i * i % 7));
  const Form low = normal::normalise(*layout::hindexed_block(1, places, type("int16")));
  EXPECT_EQ(low.offset, kMin);
  EXPECT_EQ(low.node->runs, 100);
  // Copies that reach beyond 64 bits but for the displacement, in each constructor that has one.
  constexpr std::int64_t kFar = std::int64_t{1} << 62;
  const LayoutPtr far = layout::resized(0, kFar - 8, layout::hindexed(Numbers{1}, Numbers{kFar + 1000}, int32()));
  const std::string copies = "at 1000: loop(2, " + std::to_string(kFar - 8) + ", run(4))";
  EXPECT_EQ(text(structure({2}, {-kFar}, {far})), copies);
  EXPECT_EQ(text(layout::hindexed(Numbers{2}, Numbers{-kFar}, far)), copies);
}

}  // namespace
}  // namespace gapless::test

// What the constructors refuse, and that they say why.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "base/status.hpp"
#include "layout/layout.hpp"
#include "unit/types.hpp"

namespace gapless::test {
namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kHalf = std::int64_t{1} << 62;

// The error of a constructor call; its text must contain `part`.
void expect_error(base::Status status, const std::string& part, const std::function<LayoutPtr()>& construct) {
  try {
    construct();
    ADD_FAILURE() << "was accepted; expected an error with '" << part << "'";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.status(), status) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

void expect_invalid(const std::string& part, const std::function<LayoutPtr()>& construct) {
  expect_error(base::Status::kInvalidArgument, part, construct);
}

void expect_overflow(const std::string& part, const std::function<LayoutPtr()>& construct) {
  expect_error(base::Status::kOverflow, part, construct);
}

TEST(ConstructorErrors, NegativeCounts) {
  expect_invalid("-1", [] { return layout::contiguous(-1, type("int32")); });
  expect_invalid("-2", [] { return layout::vector(-2, 1, 1, type("int32")); });
  expect_invalid("-3", [] { return layout::vector(1, -3, 1, type("int32")); });
  expect_invalid("-4", [] { return layout::hvector(-4, 1, 1, type("int32")); });
  expect_invalid("-5", [] { return layout::hvector(1, -5, 1, type("int32")); });
  expect_invalid("-6", [] { return layout::indexed(Numbers{1, -6}, Numbers{0, 4}, type("int32")); });
  expect_invalid("-7", [] { return layout::hindexed(Numbers{-7}, Numbers{0}, type("int32")); });
  expect_invalid("-8", [] { return layout::indexed_block(-8, Numbers{0}, type("int32")); });
  expect_invalid("-9", [] { return layout::hindexed_block(-9, Numbers{0}, type("int32")); });
  expect_invalid("-10", [] { return structure({1, -10}, {0, 8}, {type("int32"), type("double")}); });
}

TEST(ConstructorErrors, ListsOfUnequalLengths) {
  expect_invalid("2 and 1", [] { return layout::indexed(Numbers{1, 2}, Numbers{0}, type("int32")); });
  expect_invalid("1 and 3", [] { return layout::hindexed(Numbers{1}, Numbers{0, 1, 2}, type("int32")); });
  expect_invalid("2 and 1", [] { return structure({1, 2}, {0}, {type("int32"), type("double")}); });
  expect_invalid("2 and 1", [] { return structure({1, 2}, {0, 8}, {type("int32")}); });
}

TEST(ConstructorErrors, NoOldType) {
  expect_invalid("null", [] { return layout::contiguous(1, nullptr); });
  expect_invalid("null", [] { return layout::vector(1, 1, 1, nullptr); });
  expect_invalid("null", [] { return layout::resized(0, 1, nullptr); });
  expect_invalid("null", [] { return structure({1}, {0}, {nullptr}); });
}

TEST(ConstructorErrors, Subarray) {
  const auto make = [](Numbers sizes, Numbers subsizes, Numbers starts) {
    return [=] { return layout::subarray(sizes, subsizes, starts, layout::Order::kC, type("int32")); };
  };
  expect_invalid("0", make({}, {}, {}));
  expect_invalid("2, 1 and 2", make({4, 4}, {2}, {0, 0}));
  expect_invalid("not 0", make({4, 0}, {2, 1}, {0, 0}));
  expect_invalid("not 0", make({4, 4}, {2, 0}, {0, 0}));
  expect_invalid("not 5", make({4, 4}, {2, 5}, {0, 0}));
  expect_invalid("not -1", make({4, 4}, {2, 2}, {0, -1}));
  expect_invalid("not 3", make({4, 4}, {2, 2}, {0, 3}));
}

struct Dealt {
  std::int64_t processes = 4, rank = 1;
  Numbers sizes{8, 6};
  std::vector<layout::Distribution> distributions{layout::Distribution::kBlock, layout::Distribution::kCyclic};
  Numbers arguments{layout::kDefaultDistribution, 2}, grid{2, 2};
  LayoutPtr operator()(const LayoutPtr& old = type("int32")) const {
    return layout::darray(processes, rank, sizes, distributions, arguments, grid, layout::Order::kC, old);
  }
};

void expect_invalid_darray(const std::string& part, const std::function<void(Dealt&)>& spoil) {
  Dealt dealt;
  ASSERT_NE(dealt(), nullptr);
  spoil(dealt);
  expect_invalid(part, dealt);
}

TEST(ConstructorErrors, Darray) {
  using layout::Distribution;
  expect_invalid_darray("not 0", [](Dealt& d) { d.processes = 0; });
  expect_invalid_darray("not -4", [](Dealt& d) { d.processes = -4; });
  expect_invalid_darray("not -1", [](Dealt& d) { d.rank = -1; });
  expect_invalid_darray("not 4", [](Dealt& d) { d.rank = 4; });
  expect_invalid_darray("must hold 5", [](Dealt& d) { d.processes = 5; });
  expect_invalid_darray("not 6", [](Dealt& d) { d.grid = {2, 3}; });
  expect_invalid_darray("not 0", [](Dealt& d) { d.grid = {2, 0}; });
  expect_invalid_darray("not -2", [](Dealt& d) { d.grid = {-2, -2}; });
  expect_invalid_darray("not 0", [](Dealt& d) { d.sizes = {8, 0}; });
  expect_invalid_darray("not -8", [](Dealt& d) { d.sizes = {-8, 6}; });
  expect_invalid_darray("not 0", [](Dealt& d) { d.arguments = {0, 2}; });
  expect_invalid_darray("not -2", [](Dealt& d) { d.arguments = {4, -2}; });
  expect_invalid_darray("blocks of 3 elements on 2 processes do not hold all 8", [](Dealt& d) { d.arguments[0] = 3; });
  expect_invalid_darray("not 2", [](Dealt& d) { d.distributions[0] = Distribution::kNone; });
  expect_invalid_darray(
      "0, 0, 0 and 0", [](Dealt& d) { d.sizes.clear(), d.arguments.clear(), d.grid.clear(), d.distributions.clear(); });
  expect_invalid_darray("1, 2, 2 and 2", [](Dealt& d) { d.sizes.pop_back(); });
  expect_invalid_darray("2, 1, 2 and 2", [](Dealt& d) { d.distributions.pop_back(); });
  expect_invalid_darray("2, 2, 1 and 2", [](Dealt& d) { d.arguments.pop_back(); });
  expect_invalid_darray("2, 2, 2 and 3", [](Dealt& d) { d.grid.push_back(1); });
  expect_invalid("null", [] { return Dealt()(nullptr); });
}

TEST(ConstructorErrors, DarrayIgnoresTheArgumentOfADimensionThatIsNotDistributed) {
  Dealt dealt{1, 0, {8, 6}, {layout::Distribution::kNone, layout::Distribution::kNone}, {0, -7}, {1, 1}};
  EXPECT_EQ(dealt()->size, 8 * 6 * 4);
}

TEST(ConstructorErrors, VectorsThatEndAnywhere) {
  expect_invalid("not -1", [] { return layout::bounded_vector(-1, 1, 2, type("int32")); });
  expect_invalid("not 0", [] { return layout::bounded_vector(9, 0, 2, type("int32")); });
  expect_invalid("not -2", [] { return layout::bounded_vector(9, -2, 2, type("int32")); });
  expect_invalid("blocklength 3, not 2", [] { return layout::bounded_vector(9, 3, 2, type("int32")); });
  expect_invalid("not -5", [] { return layout::bounded_vector(9, 3, -5, type("int32")); });
  expect_invalid("null", [] { return layout::bounded_vector(9, 1, 2, nullptr); });
  expect_invalid("not -9", [] { return layout::circular_vector(-9, 0, 0, 1, 2, type("int32")); });
  expect_invalid("not -1", [] { return layout::circular_vector(9, -1, 5, 1, 2, type("int32")); });
  expect_invalid("not 9", [] { return layout::circular_vector(9, 9, 5, 1, 2, type("int32")); });
  expect_invalid("not 1", [] { return layout::circular_vector(0, 1, 0, 1, 2, type("int32")); });
  expect_invalid("not 10", [] { return layout::circular_vector(9, 0, 10, 1, 2, type("int32")); });
  expect_invalid("not -3", [] { return layout::circular_vector(9, 0, -3, 1, 2, type("int32")); });
  expect_invalid("not 0", [] { return layout::circular_vector(9, 0, 9, 0, 2, type("int32")); });
  expect_invalid("blocklength 2, not 0", [] { return layout::circular_vector(9, 0, 9, 2, 0, type("int32")); });
  expect_invalid("null", [] { return layout::circular_vector(9, 0, 9, 1, 2, nullptr); });
}

TEST(ConstructorErrors, Bucket) {
  expect_invalid("not -1", [] { return layout::bucket(-1, Numbers{0}, type("int32")); });
  expect_invalid("not -2", [] { return layout::bucket(4, Numbers{1, -2}, type("int32")); });
  expect_invalid("stride 4, not 5", [] { return layout::bucket(4, Numbers{1, 5}, type("int32")); });
  expect_invalid("null", [] { return layout::bucket(4, Numbers{1}, nullptr); });
}

// Zero wherever it is legal: no data, and bounds all the same where they are explicit.
TEST(ConstructorErrors, ZeroIsLegal) {
  const std::vector<LayoutPtr> empty{
      layout::contiguous(0, type("int32")),
      layout::vector(0, 3, 5, type("int32")),
      layout::vector(3, 0, 5, type("int32")),
      layout::hvector(0, 3, 5, type("int32")),
      layout::hvector(3, 0, 5, type("int32")),
      layout::indexed({}, {}, type("int32")),
      layout::indexed(Numbers{0, 0}, Numbers{4, 9}, type("int32")),
      layout::hindexed(Numbers{0}, Numbers{4}, type("int32")),
      layout::indexed_block(0, Numbers{1, 2}, type("int32")),
      layout::indexed_block(3, {}, type("int32")),
      layout::hindexed_block(0, Numbers{1, 2}, type("int32")),
      structure({}, {}, {}),
      structure({0}, {8}, {type("int32")}),
      layout::bounded_vector(0, 1, 1, type("int32")),
      layout::circular_vector(0, 0, 0, 1, 1, type("int32")),
      layout::bucket(0, {}, type("int32")),
      layout::bucket(0, Numbers{0, 0}, type("int32")),
  };
  for (const LayoutPtr& made : empty) {
    EXPECT_EQ(made->size, 0) << layout::combiner_name(made->combiner);
    EXPECT_EQ(made->extent, 0) << layout::combiner_name(made->combiner);
    EXPECT_EQ(layout::contiguous(1000, made)->size, 0);
  }
  EXPECT_EQ(layout::circular_vector(7, 3, 0, 1, 1, type("int32"))->extent, 28);
  EXPECT_EQ(layout::bucket(7, Numbers{0, 0}, type("int32"))->extent, 56);
  Dealt owns_nothing;
  owns_nothing.rank = 3, owns_nothing.arguments = {8, 6};
  EXPECT_EQ(owns_nothing()->size, 0);
  EXPECT_EQ(owns_nothing()->extent, 8 * 6 * 4);
}

// Negative wherever it is legal: strides, displacements, bounds and extents.
TEST(ConstructorErrors, NegativeIsLegal) {
  EXPECT_EQ(layout::vector(3, 1, -2, type("int32"))->lb, -16);
  EXPECT_EQ(layout::hvector(3, 1, -7, type("int32"))->lb, -14);
  EXPECT_EQ(layout::indexed(Numbers{1}, Numbers{-3}, type("int32"))->lb, -12);
  EXPECT_EQ(layout::hindexed(Numbers{1}, Numbers{-3}, type("int32"))->lb, -3);
  EXPECT_EQ(layout::indexed_block(1, Numbers{-3}, type("int32"))->lb, -12);
  EXPECT_EQ(layout::hindexed_block(1, Numbers{-3}, type("int32"))->lb, -3);
  EXPECT_EQ(structure({1}, {-8}, {type("int32")})->lb, -8);
  const LayoutPtr backwards = layout::resized(-4, -8, type("int32"));
  EXPECT_EQ(backwards->ub(), -12);
  EXPECT_EQ(layout::contiguous(3, backwards)->true_lb, -16);
  EXPECT_EQ(layout::subarray(Numbers{4}, Numbers{2}, Numbers{1}, layout::Order::kC, backwards)->extent, -32);
  EXPECT_EQ(layout::bounded_vector(5, 1, 2, backwards)->true_lb, -32);
  EXPECT_EQ(layout::circular_vector(5, 3, 4, 1, 2, backwards)->extent, -40);
  EXPECT_EQ(layout::bucket(3, Numbers{1, 2}, backwards)->true_lb, -32);
  EXPECT_EQ(Dealt()(backwards)->extent, -8 * 6 * 8);
}

TEST(ConstructorErrors, OverflowNamesTheProduct) {
  expect_overflow("size", [] { return layout::contiguous(kHuge, type("int32")); });
  expect_overflow("stride", [] { return layout::vector(3, 1, kHalf, type("double")); });
  expect_overflow("stride", [] { return layout::hvector(3, 1, kHalf, type("byte")); });
  expect_overflow("extent", [] { return layout::vector(1, kHuge, 1, layout::resized(0, 16, type("byte"))); });
  expect_overflow("displacement", [] { return layout::indexed(Numbers{1}, Numbers{kHalf}, type("double")); });
  expect_overflow("displacement", [] { return layout::hindexed(Numbers{2}, Numbers{kHuge - 5}, type("double")); });
  expect_overflow("bound", [] { return layout::resized(kHuge, 1, type("byte")); });
  expect_overflow("extent", [] { return structure({1, 1}, {-kHalf, kHalf}, {type("byte"), type("double")}); });
  expect_overflow("size", [] {
    return layout::subarray(Numbers{kHalf, 4}, Numbers{1, 1}, Numbers{0, 0}, layout::Order::kC, type("int32"));
  });
  const auto product = [](std::int64_t a, std::int64_t b) { return std::to_string(a) + " * " + std::to_string(b); };
  expect_overflow("displacement * extent: " + product(kHalf, 8),
                  [] { return layout::indexed_block(1, Numbers{0, kHalf}, type("double")); });
  expect_overflow("blocklength * size: " + product(kHuge, 8),
                  [] { return layout::hindexed_block(kHuge, Numbers{0}, type("double")); });
  expect_overflow("blocklength * size: " + product(kHalf, 4),
                  [] { return layout::dup(layout::contiguous(kHalf, type("int32"))); });
  expect_overflow("stride * extent: " + product(kHalf, 8),
                  [] { return layout::bounded_vector(kHalf + 2, 1, kHalf, type("double")); });
  expect_overflow("blocklength * size: " + product(kHalf, 8),
                  [] { return layout::bounded_vector(kHalf, kHalf, kHalf, type("double")); });
  expect_overflow("total * extent: " + product(kHalf, 8),
                  [] { return layout::circular_vector(kHalf, 0, 1, 1, 1, type("double")); });
  expect_overflow("displacement * extent: " + product(kHalf, 8),
                  [] { return layout::circular_vector(kHuge, kHalf, 1, 1, 1, type("double")); });
  expect_overflow("number of buckets * stride: " + product(2, kHalf),
                  [] { return layout::bucket(kHalf, Numbers{1, 1}, type("byte")); });
  expect_overflow("number of buckets * stride * extent: " + product(kHalf, 8),
                  [] { return layout::bucket(kHalf, Numbers{1}, type("double")); });
  expect_overflow("product of the process grid: " + product(kHalf, 2), [] {
    return Dealt{kHuge,  0,         {8, 6}, {layout::Distribution::kCyclic, layout::Distribution::kCyclic},
                 {1, 1}, {kHalf, 2}}();
  });
  Dealt wide;
  wide.sizes = {kHalf, 6};
  expect_overflow("blocklength * size: " + product(kHalf / 2, 2 * 4), wide);
  wide.rank = 3, wide.arguments[0] = kHalf;  // owns nothing of an array that is too long
  expect_overflow("size * extent: " + product(kHalf, 6 * 4), wide);
}

TEST(ConstructorErrors, OverflowNamesTheNumbers) {
  expect_overflow(std::to_string(kHalf), [] { return layout::vector(3, 1, kHalf, type("double")); });
  expect_overflow("8", [] { return layout::vector(3, 1, kHalf, type("double")); });
}

// What is never reached cannot overflow.
TEST(ConstructorErrors, UnusedArgumentsMayBeAnything) {
  EXPECT_EQ(layout::vector(1, 2, kHuge, type("double"))->size, 16);
  EXPECT_EQ(layout::hvector(1, 2, kHuge, type("double"))->size, 16);
  EXPECT_EQ(layout::vector(0, kHuge, kHuge, type("double"))->size, 0);
  EXPECT_EQ(layout::indexed(Numbers{0, 1}, Numbers{kHuge, 0}, type("double"))->extent, 8);
  EXPECT_EQ(layout::indexed({}, {}, type("double"))->size, 0);
}

// All that walks a type recurses; a type too deep for the stack is refused when it is made.
TEST(ConstructorErrors, DepthHasAnEnd) {
  LayoutPtr deep = type("int32");
  for (int depth = 1; depth < 1000; ++depth) deep = layout::dup(deep);
  EXPECT_EQ(deep->depth, 1000);
  EXPECT_THROW(layout::dup(deep), base::Error);
  EXPECT_THROW(layout::vector(2, 1, 2, deep), base::Error);
}

// 64-bit counts are legal as long as the bytes fit: every argument of every constructor beyond 32 bits.
TEST(ConstructorErrors, HugeButLegal) {
  constexpr std::int64_t kBig = (std::int64_t{1} << 33) + 1;
  EXPECT_EQ(layout::contiguous(kHalf, type("byte"))->extent, kHalf);
  EXPECT_EQ(layout::vector(1 << 20, 1, std::int64_t{1} << 36, type("double"))->size, 8 << 20);
  EXPECT_EQ(layout::vector(kBig, kBig >> 8, kBig >> 7, type("byte"))->size, kBig * (kBig >> 8));
  EXPECT_EQ(layout::hvector(kBig, 3, kBig >> 6, type("int32"))->size, kBig * 12);
  EXPECT_EQ(layout::indexed(Numbers{kBig, 1}, Numbers{-kBig, kBig}, type("int32"))->extent, (2 * kBig + 1) * 4);
  EXPECT_EQ(layout::hindexed(Numbers{kBig}, Numbers{kBig << 24}, type("int32"))->lb, kBig << 24);
  EXPECT_EQ(layout::indexed_block(kBig, Numbers{0, 2 * kBig}, type("int32"))->extent, 3 * kBig * 4);
  EXPECT_EQ(layout::hindexed_block(kBig, Numbers{0, -9 * kBig}, type("int32"))->lb, -9 * kBig);
  EXPECT_EQ(structure({kBig, 2}, {-kBig, 8 * kBig}, {type("byte"), type("double")})->size, kBig + 16);
  EXPECT_EQ(
      layout::subarray(Numbers{kBig, kBig >> 8}, Numbers{kBig - 1, 1}, Numbers{1, 5}, layout::Order::kC, type("byte"))
          ->true_lb,
      (kBig >> 8) + 5);
  EXPECT_EQ(layout::resized(-kBig, 4 * kBig, type("int32"))->ub(), 3 * kBig);
  EXPECT_EQ(layout::dup(layout::contiguous(kBig, type("int32")))->extent, 4 * kBig);
  EXPECT_EQ(layout::bounded_vector(kHuge, kHalf, kHuge, type("byte"))->size, kHalf);
  EXPECT_EQ(layout::circular_vector(kHuge, kHuge - 1, kHuge, kBig, kHalf, type("byte"))->size, 2 * kBig);
  EXPECT_EQ(layout::bucket(kBig, Numbers{kBig, 0, kBig}, type("int32"))->size, 8 * kBig);
  // More processes than elements, and blocks longer than the array: nothing of that is multiplied.
  const Dealt sparse{kHuge, 7, {kBig}, {layout::Distribution::kCyclic}, {kHuge}, {kHuge}};
  EXPECT_EQ(sparse()->size, 0);
  const Dealt dense{kHuge, 0, {kBig}, {layout::Distribution::kBlock}, {kHuge}, {kHuge}};
  EXPECT_EQ(dense()->size, 4 * kBig);
}

}  // namespace
}  // namespace gapless::test

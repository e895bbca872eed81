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

// 64-bit counts are legal as long as the bytes fit.
TEST(ConstructorErrors, HugeButLegal) {
  EXPECT_EQ(layout::contiguous(kHalf, type("byte"))->extent, kHalf);
  EXPECT_EQ(layout::vector(1 << 20, 1, std::int64_t{1} << 36, type("double"))->size, 8 << 20);
}

}  // namespace
}  // namespace gapless::test

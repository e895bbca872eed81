// What a plan chooses takes no more, by the costs that it chooses by, than what it did not choose. No time is measured.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "notation/parse.hpp"
#include "plan/cost.hpp"
#include "plan/plan.hpp"
#include "plan/step.hpp"
#include "support/regular_type.hpp"

namespace gapless::test {
namespace {

plan::PlanPtr plan_of(const std::string& text) {
  return plan::compile(*notation::parse(text));
}

double both(auto cost) {
  return cost(true) + cost(false);
}

TEST(Cost, ElementsThatTouchAreRowsOfOneNest) {
  for (const char* text : {"vector(24, 1, 26, contiguous(5, double))", "vector(12, 1, 26, contiguous(5, double))",
                           "vector(29, 1, 3, contiguous(9, int32))", "vector(21, 1, 23, int32)",
                           "vector(26, 5, 20, hvector(5, 1, 4, int32))"}) {
    const plan::PlanPtr plan = plan_of(text);
    EXPECT_EQ(plan->folded(), nullptr) << text;
    EXPECT_EQ(plan->root().op, plan::Op::kNest) << text;
    EXPECT_EQ(plan->root().outer_count, 1) << text;
  }
}

TEST(Cost, ElementsThatBecomeFewerRunsAreTakenTogether) {
  // Two runs of 300 bytes each of which are one with what follows.
  EXPECT_NE(plan_of("hindexed([300, 300], [0, 500], byte)")->folded(), nullptr);
  EXPECT_NE(plan_of("vector(9, 2, 4, resized(0, 12, double))")->folded(), nullptr);
}

// A run of 80 bytes and 22 of 40: eight passes, or two steps.
TEST(Cost, PassesAreCalledForTilesOfManyRepetitions) {
  std::string lengths = "80", places = "0";
  for (int i = 1; i <= 22; ++i) {
    lengths += ", 40";
    places += ", " + std::to_string(i * 100);
  }
  const std::string body = "hindexed([" + lengths + "], [" + places + "], byte)";
  const auto by_pattern = [&](std::int64_t count, std::int64_t stride) {
    const plan::PlanPtr plan =
        plan_of("hvector(" + std::to_string(count) + ", 1, " + std::to_string(stride) + ", " + body + ")");
    EXPECT_EQ(plan->root().op, plan::Op::kLoop);
    return plan::repeats_pattern(*plan->root().steps[0], count, stride);
  };
  EXPECT_FALSE(by_pattern(400, 23960));
  EXPECT_FALSE(by_pattern(3, 2300));
  // Three short runs are one pass, however far apart.
  const plan::PlanPtr one_pass = plan_of("hvector(9, 1, 100000, hindexed([4, 8, 16], [0, 100, 200], byte))");
  EXPECT_TRUE(plan::repeats_pattern(*one_pass->root().steps[0], 9, 100000));
}

// The sanitizers watch the arithmetic.
TEST(Cost, ARunMayBeAsLongAsTheLargestNumber) {
  EXPECT_NE(plan_of("contiguous(1152921504606846975, double)"), nullptr);
}

TEST(Cost, NoMessageCostsMoreThanItsElements) {
  int folded_count = 0;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const layout::LayoutPtr type = regular_type(mixed(20, i));
    const plan::PlanPtr plan = plan::compile(*type);
    const plan::FoldedSteps* folded = plan->folded();
    if (folded == nullptr || (!folded->before && !folded->after)) continue;
    plan::Costs costs(plan::kRepeated);
    for (const std::int64_t count : {2, 3, 4, 8, 16, 64, 256}) {
      if (count < folded->min_count) continue;
      ++folded_count;
      const double together = both([&](bool packs) { return costs.folded(*folded, count, packs); });
      const double apart = both([&](bool packs) { return costs.loop(plan->root(), count, plan->extent(), packs); });
      EXPECT_LE(together, apart) << count << " x type " << i;
    }
  }
  EXPECT_GT(folded_count, 100);
}

}  // namespace
}  // namespace gapless::test

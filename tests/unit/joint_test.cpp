// Planning a copy: what is chosen where the choice is worth a test, and that it is bounded whatever the forms share.
#include "plan/joint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "kernel/caches.hpp"
#include "layout/layout.hpp"
#include "plan/segments.hpp"

namespace gapless {
namespace {

using layout::LayoutPtr;
using Numbers = std::vector<std::int64_t>;

LayoutPtr bytes(std::int64_t count) {
  return layout::contiguous(count, layout::named(*layout::find_named("byte")));
}

// Twice the type before, around a run of another length each time: a form as long as the depth, and 2^depth runs.
LayoutPtr doubled(int depth) {
  LayoutPtr type = layout::structure(Numbers{1, 1}, Numbers{0, 16}, std::vector<LayoutPtr>{bytes(8), bytes(4)});
  for (int k = 0; k < depth; ++k) {
    const std::int64_t end = type->true_lb + type->true_extent;
    type = layout::structure(Numbers{1, 1, 1}, Numbers{0, end + 8, end + 8 + 64},
                             std::vector<LayoutPtr>{type, bytes(4 + 4 * (k % 7)), type});
  }
  return type;
}

TEST(Joint, ManyCopiesOfSharedNodesInsideALongRun) {
  const LayoutPtr shared = doubled(36);
  const plan::PlanPtr one = plan::compile(*shared);
  const std::int64_t size = one->size();
  const plan::PlanPtr source = plan::compile(*layout::hvector(6, 1, 2 * shared->true_extent, shared));
  const plan::PlanPtr destination = plan::compile(*layout::hvector(2, 3 * size, 3 * size + 8, bytes(1)));
  ASSERT_EQ(source->size(), destination->size());
  plan::join({*source, 1}, {*destination, 1});  // whether there is a plan is not the point: that it ends is
  plan::join({*destination, 1}, {*source, 1});
}

// The rest of a copy is to be compared with the end of one that is long to write out.
TEST(Joint, TheEndOfACopyThatIsLong) {
  const LayoutPtr shared = doubled(36);
  const std::int64_t size = plan::compile(*shared)->size();
  const LayoutPtr copies = layout::hvector(6, 1, 2 * shared->true_extent, shared);
  const plan::PlanPtr source =
      plan::compile(*layout::structure(Numbers{1, 1}, Numbers{0, 64}, std::vector<LayoutPtr>{bytes(8), copies}));
  const plan::PlanPtr destination =
      plan::compile(*layout::structure(Numbers{1, 1}, Numbers{0, 8 * size},
                                       std::vector<LayoutPtr>{layout::hvector(6, size, size + 8, bytes(1)), bytes(8)}));
  ASSERT_EQ(source->size(), destination->size());
  plan::join({*source, 1}, {*destination, 1});
  plan::join({*destination, 1}, {*source, 1});
}

// Columns that a count puts next to each other lie between each other, and nowhere on each other.
TEST(Joint, CopiesThatInterleave) {
  const LayoutPtr number = bytes(16);
  const LayoutPtr column = layout::resized(0, 16, layout::hvector(64, 1, 128 * 16, number));
  const LayoutPtr half = layout::contiguous(64, column);
  const plan::PlanPtr columns = plan::compile(*half);
  const plan::PlanPtr rows = plan::compile(*layout::resized(0, 64 * 16, layout::hvector(64, 64, 128 * 16, number)));
  ASSERT_EQ(columns->size(), rows->size());
  EXPECT_NE(plan::join({*rows, 2}, {*columns, 2}), nullptr);
  EXPECT_NE(plan::join({*columns, 2}, {*rows, 2}), nullptr);
  // A column of its own for each, the first of the second copy the last of the first one.
  const plan::PlanPtr overlapping = plan::compile(*layout::resized(0, 63 * 16, half));
  EXPECT_EQ(plan::join({*rows, 2}, {*overlapping, 2}), nullptr);
}

// Sizes that a sum still holds, but no small multiple of them.
TEST(Joint, RepetitionsOfExabytes) {
  const LayoutPtr large = bytes(std::int64_t{1} << 45);
  const auto repeated = [&](std::int64_t stride, std::int64_t behind, std::int64_t distance) {
    const LayoutPtr many = layout::hvector(65536, 1, stride, large);
    return plan::compile(*layout::hvector(
        3, 1, distance, layout::structure(Numbers{1, 1}, Numbers{0, behind}, std::vector<LayoutPtr>{many, bytes(64)})));
  };
  const plan::PlanPtr source = repeated(0, 1000, 5000), destination = repeated(1, 2000, 7000);
  ASSERT_EQ(source->size(), destination->size());
  plan::join({*source, 1}, {*destination, 1});  // what is planned is not the point: that no number overflows is
}

// There is a pass for one move of any width: no strips are needed, but where both sides' words are shuffled.
TEST(Joint, OneNarrowMove) {
  for (const std::int64_t width : {1, 2, 4, 8}) {
    const plan::PlanPtr source = plan::compile(*layout::hvector(20000, 1, 2 * width, bytes(width)));
    const plan::PlanPtr destination = plan::compile(*layout::hvector(20000, 1, 4 * width, bytes(width)));
    const auto joint = plan::join({*source, 1}, {*destination, 1});
    ASSERT_NE(joint, nullptr) << width;
    EXPECT_EQ(joint->op, plan::Joint::Op::kMoves) << width;
  }
  const plan::PlanPtr words = plan::compile(*layout::hvector(20000, 1, 8, bytes(4)));
  const auto joint = plan::join({*words, 1}, {*words, 1});
  ASSERT_NE(joint, nullptr);
  EXPECT_EQ(joint->op == plan::Joint::Op::kMoves, !kernel::chosen().scatters);
}

// Words that take a walk through the page tables each are packed many at a time.
TEST(Joint, WordsInPagesOfTheirOwn) {
  const auto first_of = [](std::int64_t words, std::int64_t stride) {
    const plan::PlanPtr source = plan::compile(*layout::hvector(words, 1, stride, bytes(4)));
    const plan::PlanPtr destination = plan::compile(*layout::hvector(words / 2, 1, 16, bytes(8)));
    const auto joint = plan::join({*source, 1}, {*destination, 1});
    if (joint == nullptr) return plan::Joint{};
    return joint->op == plan::Joint::Op::kSequence ? joint->steps.front() : *joint;
  };
  const plan::Joint walks = first_of(8192, 2048);
  ASSERT_EQ(walks.op, plan::Joint::Op::kStrips);
  EXPECT_EQ(walks.side->bytes, plan::kLongStripBytes);
  EXPECT_EQ(first_of(8192, 2000).op, plan::Joint::Op::kMoves);  // at other places of each page
  EXPECT_EQ(first_of(1024, 2048).op, plan::Joint::Op::kMoves);  // in pages that the processor knows
}

// Many elements by the form that they have together are the same runs, from the fewest on that have it.
TEST(Joint, FormsOfManyElements) {
  struct Element {
    Numbers lengths, places;
    std::int64_t extent;
  };
  const Element elements[] = {{{4, 12}, {0, 12}, 24},       {{8, 8, 8}, {0, 16, 40}, 48}, {{8, 8}, {40, 0}, 48},
                              {{4, 4, 4}, {0, 8, 16}, 24},  {{4, 4, 4}, {0, 8, 16}, 8},   {{12, 12}, {0, 20}, -20},
                              {{8, 8}, {0, 24}, 32},        {{4, 8, 4}, {8, 20, 36}, 32}, {{5, 3, 5}, {0, 7, 12}, 17},
                              {{4, 4, 8}, {0, 100, 8}, 16}, {{16, 4}, {0, 16}, 24},       {{4, 4}, {0, -8}, -16}};
  int folded = 0;
  for (const Element& element : elements) {
    const LayoutPtr type =
        layout::resized(0, element.extent, layout::hindexed(element.lengths, element.places, bytes(1)));
    const plan::PlanPtr plan = plan::compile(*type);
    for (std::int64_t count = 2; count <= 9; ++count) {
      const plan::Message message{*plan, count};
      std::vector<plan::ByteRun> together, one_by_one;
      ASSERT_TRUE(plan::list_runs(plan::segments_of(message, true), together));
      ASSERT_TRUE(plan::list_runs(plan::segments_of(message, false), one_by_one));
      EXPECT_EQ(together, one_by_one) << count << " elements of extent " << element.extent;
      folded += plan::has_folded_form(message) ? 1 : 0;
    }
  }
  EXPECT_GT(folded, 30);
}

// Whether a step or one inside it unpacks blocks of so many bytes from a run.
bool unpacks(const plan::Joint& step, std::int64_t block) {
  if (step.op == plan::Joint::Op::kUnpack) return step.side->block == block;
  return std::any_of(step.steps.begin(), step.steps.end(), [&](const auto& inner) { return unpacks(inner, block); });
}

// The second run of an element touches the first one of the next: together they are fewer and longer ones.
TEST(Joint, ElementsThatTouch) {
  const plan::PlanPtr runs = plan::compile(*layout::hvector(8, 4096, 5000, bytes(1)));
  const plan::PlanPtr element =
      plan::compile(*layout::resized(0, 24, layout::hindexed(Numbers{4, 12}, Numbers{0, 12}, bytes(1))));
  const auto joint = plan::join({*runs, 1}, {*element, 2048});
  ASSERT_NE(joint, nullptr);
  EXPECT_TRUE(unpacks(*joint, 16));
  // Where the other side's elements are as long, there is nothing to win by cutting both.
  const plan::PlanPtr other =
      plan::compile(*layout::resized(0, 48, layout::hindexed(Numbers{8, 8}, Numbers{0, 16}, bytes(1))));
  const auto alike = plan::join({*other, 2048}, {*element, 2048});
  ASSERT_NE(alike, nullptr);
  EXPECT_EQ(alike->op, plan::Joint::Op::kMoves);
  EXPECT_EQ(alike->count, 2048);
}

// Beyond the caches a line for each word takes more time than the moves: the destination's own kernel has the best of
// it.
TEST(Joint, WordsInLinesOfTheirOwn) {
  const auto first_to = [](std::int64_t stride, std::int64_t words) {
    const plan::PlanPtr source = plan::compile(*layout::hvector(words / 2, 1, 16, bytes(8)));
    const plan::PlanPtr destination = plan::compile(*layout::hvector(words, 1, stride, bytes(4)));
    const auto joint = plan::join({*source, 1}, {*destination, 1});
    if (joint == nullptr) return plan::Joint{};
    return joint->op == plan::Joint::Op::kSequence ? joint->steps.front() : *joint;
  };
  const plan::Joint long_strips = first_to(400, 640000);
  ASSERT_EQ(long_strips.op, plan::Joint::Op::kStrips);
  EXPECT_EQ(long_strips.side->bytes, plan::kStripBytes);
  EXPECT_EQ(long_strips.far, 640000 * (4 + kernel::kLine) > kernel::far_bytes());
  EXPECT_EQ(first_to(24, 640000).op, plan::Joint::Op::kMoves);
}

// The lines that a message touches may be beyond the largest number.
TEST(Joint, ASparseSideOfExabytes) {
  const auto of = [](std::int64_t stride) {
    return plan::compile(*layout::hvector(std::int64_t{1} << 40, 1, 0, layout::hvector(1 << 20, 1, stride, bytes(4))));
  };
  const plan::PlanPtr source = of(64), destination = of(128);
  plan::join({*source, 1}, {*destination, 1});  // what is planned is not the point: that no number overflows is
}

// In the caches, a strip, its source and its lines of the destination are in a first one of 32 KB together.
TEST(Joint, StripsAndWhatTheyTouch) {
  const plan::PlanPtr source = plan::compile(*layout::hvector(3640, 9, 12, bytes(1)));
  const plan::PlanPtr destination = plan::compile(*layout::hvector(8190, 1, 40, bytes(4)));
  ASSERT_EQ(source->size(), destination->size());
  const auto joint = plan::join({*source, 1}, {*destination, 1});
  ASSERT_NE(joint, nullptr);
  const plan::Joint& first = joint->op == plan::Joint::Op::kSequence ? joint->steps.front() : *joint;
  ASSERT_EQ(first.op, plan::Joint::Op::kStrips);
  EXPECT_LE(first.side->bytes / 4 * (4 + 6 + 40), 32768);
  EXPECT_GE(first.side->bytes, 1024);
}

// Short runs of unlike lengths on one side, places of their units on the other: one list against another.
TEST(Joint, RunsOfUnlikeLengthsAsUnits) {
  std::minstd_rand random(1);
  Numbers lengths, runs, places;
  std::int64_t units = 0;
  for (std::int64_t i = 0; i < 100; ++i) {
    lengths.push_back(1 + static_cast<std::int64_t>(random() % 3));
    runs.push_back(40 * i);
    units += lengths.back();
  }
  for (std::int64_t i = 0, at = 0; i < units; ++i)
    places.push_back(at += 16 + 8 * static_cast<std::int64_t>(random() % 9));
  const plan::PlanPtr source = plan::compile(*layout::hindexed(lengths, runs, bytes(8)));
  const plan::PlanPtr destination = plan::compile(*layout::hindexed_block(1, places, bytes(8)));
  ASSERT_EQ(source->size(), destination->size());
  const auto joint = plan::join({*source, 1}, {*destination, 1});
  ASSERT_NE(joint, nullptr);
  EXPECT_EQ(joint->op, plan::Joint::Op::kListed);
  EXPECT_EQ(joint->count, units);
}

}  // namespace
}  // namespace gapless

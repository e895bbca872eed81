// Planning a copy is bounded, whatever the forms share.
#include "plan/joint.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "layout/layout.hpp"

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

}  // namespace
}  // namespace gapless

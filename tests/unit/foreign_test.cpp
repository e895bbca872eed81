// Layouts of other processes: each made once for all that have it, and kept while somebody uses it.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "base/status.hpp"
#include "copy/foreign.hpp"
#include "layout/layout.hpp"
#include "normal/normalise.hpp"
#include "plan/plan.hpp"
#include "serial/serial.hpp"
#include "unit/types.hpp"

namespace gapless::test {

namespace {

std::vector<std::uint8_t> form_of(const layout::LayoutPtr& of) {
  return serial::serialise(normal::normalise(*of), of->lb, of->extent);
}

layout::LayoutPtr column(int blocks) {
  return layout::vector(blocks, 1, 2, type("double"));
}

}  // namespace

TEST(Foreign, EqualLayoutsAreOne) {
  copy::ForeignLayouts layouts;
  const copy::ForeignPtr first = layouts.of(form_of(column(10)));
  EXPECT_EQ(first->plan()->size(), 80);
  EXPECT_EQ(layouts.of(form_of(layout::hvector(10, 1, 16, type("double")))), first);
  EXPECT_NE(layouts.of(form_of(column(11))), first);
  EXPECT_NE(layouts.of(form_of(layout::resized(0, 160, column(10)))), first);
}

TEST(Foreign, WhatNobodyUsesGoes) {
  copy::ForeignLayouts layouts;
  const copy::ForeignPtr used = layouts.of(form_of(column(7)));
  for (int blocks = 100; blocks < 1100; ++blocks) layouts.of(form_of(column(blocks)));
  EXPECT_LE(layouts.size(), 65u);
  EXPECT_EQ(layouts.of(form_of(column(7))), used);
  // And is made anew when it comes again.
  EXPECT_EQ(layouts.of(form_of(column(100)))->plan()->size(), 800);
}

TEST(Foreign, AllThatAreUsedStay) {
  copy::ForeignLayouts layouts;
  std::vector<copy::ForeignPtr> used;
  for (int blocks = 2; blocks < 302; ++blocks) used.push_back(layouts.of(form_of(column(blocks))));
  EXPECT_EQ(layouts.size(), used.size());
  for (int blocks = 2; blocks < 302; ++blocks)
    EXPECT_EQ(layouts.of(form_of(column(blocks))), used[static_cast<std::size_t>(blocks - 2)]);
}

TEST(Foreign, SpansOfSomeCountsAreKept) {
  copy::ForeignLayouts layouts;
  const copy::ForeignPtr layout = layouts.of(form_of(column(4)));
  const copy::SpanLimits near{.gap = 1024, .length = 1 << 16, .most = 1 << 16}, runs{.most = 1 << 16};
  const auto first = layout->spans(1, near);
  ASSERT_EQ(first->size(), 1u);
  EXPECT_EQ(first->front().length, 3 * 16 + 8);
  EXPECT_EQ(layout->spans(1, runs)->size(), 4u) << "of another gap";
  for (int count = 2; count < 10; ++count) EXPECT_EQ(layout->spans(count, near)->back().position % 32, 0);
  EXPECT_EQ(layout->spans(1, near), first) << "one of the last counts";
  for (int count = 10; count < 40; ++count) layout->spans(count, near);
  EXPECT_NE(layout->spans(1, near), first) << "made anew";
  EXPECT_EQ(layout->spans(1, {.most = 3}), layout->spans(1, runs)) << "known, so nobody counts them";
  EXPECT_EQ(layouts.of(form_of(column(5)))->spans(1, {.most = 3}), nullptr) << "too many";
}

TEST(Foreign, WhatIsNoLayoutIsRefusedAndNotKept) {
  copy::ForeignLayouts layouts;
  std::vector<std::uint8_t> bytes = form_of(column(10));
  bytes.back() ^= 1;
  EXPECT_THROW(layouts.of(bytes), base::Error);
  EXPECT_THROW(layouts.of({}), base::Error);
  EXPECT_EQ(layouts.size(), 0u);
}

}  // namespace gapless::test

// Spans cover the runs of a message, in order, and no longer gaps than allowed.
#include <gtest/gtest.h>

#include "copy/spans.hpp"
#include "move/iov.hpp"
#include "plan/plan.hpp"
#include "unit/types.hpp"

namespace gapless::test {

namespace {

using copy::Span;
using copy::SpanLimits;

std::vector<Span> spans(const layout::LayoutPtr& of, std::int64_t count, const SpanLimits& limits) {
  const auto plan = plan::compile(*of);
  plan->prepare(count);
  return copy::spans_of(*plan, count, limits);
}

// Each run of the message lies in the span of its position.
void expect_covered(const layout::LayoutPtr& of, std::int64_t count, const SpanLimits& limits) {
  const auto plan = plan::compile(*of);
  std::vector<move::Piece> runs(100'000);
  const move::Exported found = move::iov(*plan, count, nullptr, 0, runs.data(), static_cast<std::int64_t>(runs.size()));
  const std::vector<Span> covering = spans(of, count, limits);
  std::size_t k = 0;
  std::int64_t position = 0, in_span = 0;
  for (std::int64_t r = 0; r < found.pieces; ++r) {
    ASSERT_LT(k, covering.size());
    const auto offset =
        static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(runs[static_cast<std::size_t>(r)].base));
    const std::int64_t bytes = runs[static_cast<std::size_t>(r)].bytes;
    if (in_span == 0) {
      EXPECT_EQ(covering[k].position, position);
      EXPECT_EQ(covering[k].offset, offset);
    }
    EXPECT_GE(offset, covering[k].offset);
    EXPECT_LE(offset + bytes, covering[k].offset + covering[k].length);
    in_span += bytes;
    position += bytes;
    if (in_span == covering[k].bytes) {
      EXPECT_EQ(offset + bytes, covering[k].offset + covering[k].length);
      ++k;
      in_span = 0;
    }
  }
  EXPECT_EQ(k, covering.size());
}

constexpr SpanLimits kAny{.gap = 1 << 20, .length = 1 << 30, .most = 1 << 20};

}  // namespace

TEST(Spans, OneWhereAllIsClose) {
  const auto found = spans(layout::vector(100, 2, 4, type("int32")), 1, kAny);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].offset, 0);
  EXPECT_EQ(found[0].length, 99 * 16 + 8);
  EXPECT_EQ(found[0].bytes, 800);
  EXPECT_FALSE(found[0].is_run());
}

TEST(Spans, EachRunByItselfWithoutGaps) {
  const auto found = spans(layout::vector(100, 2, 4, type("int32")), 1, {.gap = 0, .length = 0, .most = 1000});
  ASSERT_EQ(found.size(), 100u);
  for (const Span& span : found) EXPECT_TRUE(span.is_run());
  EXPECT_EQ(found[99].position, 99 * 8);
}

TEST(Spans, NoLongerThanAllowed) {
  const auto of = layout::vector(1000, 2, 4, type("int32"));
  for (const std::int64_t length : {8, 100, 4096}) {
    const SpanLimits limits{.gap = 8, .length = length, .most = 10'000};
    for (const Span& span : spans(of, 1, limits)) EXPECT_LE(span.length, length);
    expect_covered(of, 1, limits);
  }
}

TEST(Spans, NoneIfThereAreTooMany) {
  const auto of = layout::vector(1000, 2, 4, type("int32"));
  EXPECT_TRUE(spans(of, 1, {.gap = 0, .length = 0, .most = 999}).empty());
  EXPECT_EQ(spans(of, 1, {.gap = 0, .length = 0, .most = 1000}).size(), 1000u);
}

TEST(Spans, InTypeMapOrderWhateverTheAddresses) {
  const auto backwards = layout::vector(50, 1, -3, type("double"));
  EXPECT_EQ(spans(backwards, 1, kAny).size(), 50u);
  expect_covered(backwards, 3, kAny);
  const auto indexed = layout::indexed(Numbers{3, 1, 2, 5}, Numbers{40, 0, 10, 13}, type("int32"));
  for (const std::int64_t gap : {0, 8, 28, 1000}) {
    expect_covered(indexed, 7, {.gap = gap, .length = 1 << 20, .most = 1000});
  }
}

}  // namespace gapless::test

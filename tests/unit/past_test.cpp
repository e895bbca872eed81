// Packing past the caches: whole lines, whatever the type and wherever a part begins.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "move/past.hpp"
#include "notation/parse.hpp"
#include "plan/plan.hpp"
#include "property/recorded_lines.hpp"

namespace gapless::test {
namespace {

// A message in parts, each at every place of a line, against the bytes that pack() gives.
void expect_whole_lines(const std::string& text, std::int64_t count, std::int64_t part) {
  SCOPED_TRACE(text + ", parts of " + std::to_string(part));
  const plan::PlanPtr plan = plan::compile(*notation::parse(text));
  const std::int64_t total = plan->size() * count;
  std::vector<char> source(static_cast<std::size_t>(plan->high() + (count - 1) * plan->extent()));
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<char>(i * 37 + i / 251);
  std::vector<char> expected(static_cast<std::size_t>(total));
  ASSERT_EQ(move::pack(*plan, count, source.data(), 0, expected.data(), total), total);
  std::vector<char> memory(static_cast<std::size_t>(part + 64));
  std::int64_t offset = 0;
  for (std::int64_t at = 0; at < total; at += part, offset = (offset + 5) % 64) {
    char* const to = memory.data() + offset;
    const std::int64_t bytes = std::min(part, total - at);
    RecordedLines lines(to, bytes);
    ASSERT_EQ(move::pack_past(*plan, count, source.data(), at, to, part, lines), bytes);
    EXPECT_EQ(lines.complaint(), "") << "at " << at;
    EXPECT_TRUE(std::equal(to, to + bytes, expected.begin() + at)) << "at " << at;
    std::fill(to, to + bytes, '\0');
    ASSERT_EQ(move::pack_past(*plan, count, source.data(), at, to, part), bytes);
    EXPECT_TRUE(std::equal(to, to + bytes, expected.begin() + at)) << "at " << at;
  }
}

TEST(MovePast, EveryBlockLength) {
  for (const std::int64_t part : {std::int64_t{1}, std::int64_t{100}, std::int64_t{9001}})
    for (std::int64_t block = 1; block <= 80; ++block)
      expect_whole_lines("hvector(" + std::to_string(part * 2 / block + 3) + ", 1, " + std::to_string(block + 3) +
                             ", contiguous(" + std::to_string(block) + ", byte))",
                         1, part);
}

// Each kind of step, and runs that are written from where they are.
TEST(MovePast, EveryKindOfStep) {
  for (const std::int64_t part : {std::int64_t{98304}, std::int64_t{10000}}) {
    expect_whole_lines("vector(6400, 10, 20, int32)", 1, part);
    expect_whole_lines("vector(70, 1000, 2000, int32)", 1, part);
    expect_whole_lines("contiguous(250, int32)", 300, part);
    expect_whole_lines("resized(0, 8, vector(100, 1, 130, double))", 130, part);
    expect_whole_lines("hindexed([4, 8, 20], [0, 12, 40], byte)", 5000, part);
    expect_whole_lines("hindexed_block(3, [0, 50, 21, 90, 7], int16)", 5000, part);
    expect_whole_lines("hindexed([3000, 5, 2000], [0, 4000, 5000], byte)", 50, part);
  }
}

}  // namespace
}  // namespace gapless::test

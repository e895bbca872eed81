// The lines that the engine's benchmark takes for its limit, against a literal list of them, and the loops that copy
// them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <set>
#include <vector>

#include "bench/engine/limit.hpp"
#include "bench/engine/touched.hpp"

namespace gapless::bench {
namespace {

constexpr std::int64_t kLine = 64;

struct Blocks {
  std::vector<std::int64_t> starts;
  std::int64_t bytes;
};

struct Expected {
  std::vector<std::int64_t> lines;
  std::int64_t partial = 0;
};

// Byte by byte: a visit ends where the next byte is in another line.
Expected literally(const Blocks& blocks) {
  Expected expected;
  std::int64_t covered = kLine;
  for (std::int64_t start : blocks.starts)
    for (std::int64_t byte = start; byte < start + blocks.bytes; ++byte) {
      const std::int64_t line = byte >= 0 ? byte / kLine : (byte - kLine + 1) / kLine;
      if (expected.lines.empty() || expected.lines.back() != line) {
        expected.partial += covered < kLine;
        expected.lines.push_back(line);
        covered = 0;
      }
      ++covered;
    }
  expected.partial += covered < kLine;
  return expected;
}

gapless_type type_of(const Blocks& blocks) {
  gapless_type byte, type;
  EXPECT_EQ(gapless_type_named("byte", &byte), GAPLESS_SUCCESS);
  EXPECT_EQ(gapless_type_hindexed_block(static_cast<std::int64_t>(blocks.starts.size()), blocks.bytes,
                                        blocks.starts.data(), byte, &type),
            GAPLESS_SUCCESS);
  gapless_type_free(&byte);
  return type;
}

std::vector<std::int64_t> lines_of(const std::vector<LineRun>& runs) {
  std::vector<std::int64_t> lines;
  for (const LineRun& run : runs)
    for (std::int64_t i = 0; i < run.count; ++i) lines.push_back(run.first + i);
  return lines;
}

std::vector<std::int64_t> lines_of(const Footprint& footprint) {
  std::vector<std::int64_t> lines;
  const auto add = [&](std::int64_t j, std::int64_t by) {
    const LineRun& run = footprint.runs[static_cast<std::size_t>(j)];
    for (std::int64_t i = 0; i < run.count; ++i) lines.push_back(run.first + i + by);
  };
  for (std::int64_t r = 0; r < footprint.repeats; ++r)
    for (std::int64_t j = 0; j < footprint.period; ++j) add(j, r * footprint.shift);
  for (std::int64_t j = footprint.period; j < static_cast<std::int64_t>(footprint.runs.size()); ++j) add(j, 0);
  return lines;
}

Blocks strided(std::int64_t count, std::int64_t bytes, std::int64_t stride, std::int64_t first = 0) {
  Blocks blocks{{}, bytes};
  for (std::int64_t i = 0; i < count; ++i) blocks.starts.push_back(first + i * stride);
  return blocks;
}

Blocks listed() {
  Blocks blocks{{}, 24};
  for (std::int64_t i = 0; i < 500; ++i) blocks.starts.push_back(i * 7919 % 1009 * 24);
  return blocks;
}

class TouchedLines : public testing::TestWithParam<Blocks> {};

TEST_P(TouchedLines, AreThoseOfEveryByte) {
  const Blocks& blocks = GetParam();
  gapless_type type = type_of(blocks);
  const Touched touched = touched_lines(reinterpret_cast<const char*>(std::uintptr_t{1} << 40), 1, type);
  gapless_type_free(&type);
  const Expected expected = literally(blocks);
  EXPECT_EQ(lines_of(touched.runs), expected.lines);
  EXPECT_EQ(touched.lines, static_cast<std::int64_t>(expected.lines.size()));
  EXPECT_EQ(touched.partial_lines, expected.partial);
  const bool ascending =
      std::adjacent_find(expected.lines.begin(), expected.lines.end(), std::greater_equal<>()) == expected.lines.end();
  EXPECT_EQ(touched.ascending, ascending);
  EXPECT_EQ(lines_of(footprint_of(touched)), expected.lines);
}

TEST_P(TouchedLines, AreCopiedByEveryLoop) {
  gapless_type type = type_of(GetParam());
  constexpr std::int64_t kSize = 1 << 18, kOrigin = kSize / 2;
  alignas(4096) static char user[kSize], lines[kSize], again[kSize];
  const Touched touched = touched_lines(user + kOrigin, 1, type);
  gapless_type_free(&type);
  const Footprint footprint = footprint_of(touched);
  for (std::int64_t i = 0; i < kSize; ++i) user[i] = static_cast<char>(i / 64 * 37 + i % 64);
  for (const LimitLoop& loop : limit_loops()) {
    std::memset(lines, 0, sizeof lines);
    loop.pack(footprint, user + kOrigin, lines);
    const char* at = lines;
    for (std::int64_t line : lines_of(touched.runs)) {
      ASSERT_EQ(std::memcmp(at, user + kOrigin + line * kLine, kLine), 0) << loop.name << ", line " << line;
      at += kLine;
    }
    std::memset(again, 0, sizeof again);
    loop.unpack(footprint, lines, again + kOrigin);
    for (std::int64_t line : lines_of(touched.runs)) {
      char* const back = again + kOrigin + line * kLine;
      ASSERT_EQ(std::memcmp(back, user + kOrigin + line * kLine, kLine), 0) << loop.name << ", line " << line;
    }
    for (std::int64_t line : lines_of(touched.runs)) std::memset(again + kOrigin + line * kLine, 0, kLine);
    EXPECT_EQ(std::count(again, again + kSize, '\0'), kSize) << loop.name << " wrote another line";
  }
}

std::int64_t line_of(std::int64_t byte) {
  return byte >= 0 ? byte / kLine : (byte - kLine + 1) / kLine;
}

// Of each part, byte by byte.
std::vector<std::set<std::int64_t>> parts_literally(const Blocks& blocks, std::int64_t part_bytes) {
  std::vector<std::set<std::int64_t>> parts;
  std::int64_t position = 0;
  for (std::int64_t start : blocks.starts)
    for (std::int64_t byte = start; byte < start + blocks.bytes; ++byte, ++position) {
      if (position % part_bytes == 0) parts.emplace_back();
      parts.back().insert(line_of(byte));
    }
  return parts;
}

TEST_P(TouchedLines, AreThoseOfEachPartOnce) {
  constexpr std::int64_t kPart = 512, kSize = 1 << 18, kOrigin = kSize / 2;
  alignas(4096) static char user[kSize], packed[kSize];
  gapless_type type = type_of(GetParam());
  const PartLines parts = part_lines(user + kOrigin, 1, type, kPart);
  gapless_type_free(&type);
  const std::vector<std::set<std::int64_t>> expected = parts_literally(GetParam(), kPart);
  ASSERT_EQ(parts.ends.size(), expected.size());
  std::size_t i = 0;
  for (std::size_t part = 0; part < expected.size(); ++part) {
    std::vector<std::int64_t> lines;
    for (; i < parts.ends[part]; ++i)
      for (std::int32_t n = 0; n < parts.steps[i].count; ++n)
        lines.push_back(parts.steps[i].first + std::int64_t{n} * parts.steps[i].step);
    EXPECT_EQ(lines, std::vector<std::int64_t>(expected[part].begin(), expected[part].end())) << "part " << part;
  }
  const auto word = [](char* at) { return reinterpret_cast<std::int64_t*>(at); };
  for (const PartLoop& loop : part_loops()) {
    std::memset(user, 0, sizeof user);
    std::memset(packed, 0, sizeof packed);
    std::set<std::int64_t> all;
    for (const auto& lines : expected) all.insert(lines.begin(), lines.end());
    for (std::int64_t line : all) *word(user + kOrigin + line * kLine) = line + 1000;
    loop.pack(parts, user + kOrigin, packed);
    for (std::size_t part = 0; part < expected.size(); ++part) {
      const std::int64_t at = static_cast<std::int64_t>(part) * kPart;
      std::int64_t sum = 0;
      for (std::int64_t line : expected[part]) sum += line + 1000;
      for (std::int64_t to = at; to < at + std::min(kPart, parts.bytes - at) / kLine * kLine; to += 8)
        ASSERT_EQ(*word(packed + to), sum) << loop.name << ", part " << part;
    }
    std::memset(user, 0, sizeof user);
    for (std::int64_t at = 0; at < kSize; at += 8) *word(packed + at) = 1;
    loop.unpack(parts, packed, user + kOrigin);
    for (std::size_t part = 0; part < expected.size(); ++part) {
      // The last part that touches a line leaves in it how many lines of 64 packed bytes it read.
      const std::int64_t at = static_cast<std::int64_t>(part) * kPart;
      for (std::int64_t line : expected[part]) {
        const bool again = std::any_of(expected.begin() + static_cast<std::ptrdiff_t>(part) + 1, expected.end(),
                                       [&](const auto& later) { return later.contains(line); });
        if (!again) {
          EXPECT_EQ(*word(user + kOrigin + line * kLine), std::min(kPart, parts.bytes - at) / kLine) << loop.name;
        }
      }
    }
    for (std::int64_t line : all) *word(user + kOrigin + line * kLine) = 0;
    EXPECT_EQ(std::count(user, user + kSize, '\0'), kSize) << loop.name << " wrote another line";
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, TouchedLines,
                         testing::Values(strided(500, 4, 12), strided(300, 64, 192), strided(200, 92, 276),
                                         strided(20, 4000, 4008), strided(100, 24, -200, -8), strided(1, 100, 0, 5),
                                         strided(300, 12, 20, -1000), listed()));

TEST(Footprint, SaysARegularLayoutInOnePeriod) {
  gapless_type type = type_of(strided(1000, 64, 192));
  const Footprint footprint =
      footprint_of(touched_lines(reinterpret_cast<const char*>(std::uintptr_t{1} << 40), 1, type));
  gapless_type_free(&type);
  EXPECT_EQ(footprint.period, 1);
  EXPECT_EQ(footprint.shift, 3);
  EXPECT_GE(footprint.repeats, 999);
}

}  // namespace
}  // namespace gapless::bench

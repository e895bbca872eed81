// (count, type) against (1, contiguous(count, type)): the same bytes, and the same plan.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "move/move.hpp"
#include "normal/normalise.hpp"
#include "plan/plan.hpp"
#include "property/expand.hpp"
#include "support/oracle.hpp"
#include "unit/types.hpp"

namespace gapless::test {
namespace {

struct Family {
  const char* name;
  LayoutPtr type;
};

std::vector<Family> families() {
  const LayoutPtr int32 = type("int32");
  const auto tile = [&](std::int64_t a, std::int64_t b) {
    return layout::resized(0, 4 * b, layout::contiguous(a, int32));
  };
  return {
      {"tiled", tile(2, 4)},
      {"tiles", layout::contiguous(5, tile(3, 9))},
      {"dense", layout::contiguous(6, int32)},
      // The last block of an element and the first of the next are one run.
      {"fusing seams", structure({1, 1, 1}, {0, 12, 20}, {int32, int32, int32})},
      {"alternating", layout::hindexed(Numbers{4, 8, 4}, Numbers{0, 8, 20}, type("byte"))},
      {"alternating, longer",
       layout::resized(0, 48, layout::hindexed(Numbers{4, 8, 4, 8, 4}, Numbers{0, 8, 20, 32, 44}, type("byte")))},
      {"vector whose end fuses", layout::vector(4, 2, 3, int32)},
      {"transposed", layout::resized(0, 4, layout::vector(40, 1, 50, int32))},
      {"overlapping", layout::resized(0, 8, layout::contiguous(5, int32))},
      {"backwards", layout::resized(0, -12, structure({1, 1}, {0, 4}, {int32, type("int16")}))},
      {"stride 0", layout::resized(0, 0, layout::vector(2, 1, 2, int32))},
      {"stride 0, a run", layout::resized(0, 0, int32)},
      {"irregular",
       layout::resized(0, 100, layout::hindexed(Numbers{3, 1, 7, 2}, Numbers{1, 30, 50, 97}, type("byte")))},
      {"irregular, seam", layout::hindexed(Numbers{3, 1, 7, 2}, Numbers{0, 30, 50, 97}, type("byte"))},
  };
}

std::vector<std::int64_t> counts() {
  std::vector<std::int64_t> counts;
  for (std::int64_t count = 1; count <= 12; ++count) counts.push_back(count);
  counts.push_back(3001);
  return counts;
}

std::string packed(const plan::Plan& plan, std::int64_t count, const char* buffer, std::int64_t chunk) {
  const std::int64_t total = plan.size() * count;
  std::string result(static_cast<std::size_t>(total), '?');
  for (std::int64_t at = 0; at < total;) {
    const std::int64_t moved = move::pack(plan, count, buffer, at, result.data() + at, std::min(chunk, total - at));
    if (moved <= 0) return "(stuck)";
    at += moved;
  }
  return result;
}

TEST(CountFolding, PacksWhatContiguousPacks) {
  for (const auto& [name, type] : families()) {
    for (const std::int64_t count : counts()) {
      const LayoutPtr folded = layout::contiguous(count, type);
      const std::vector<std::int64_t> bytes = Oracle(*folded).byte_displacements(1);
      const auto [low, high] = std::minmax_element(bytes.begin(), bytes.end());
      std::string memory(static_cast<std::size_t>(*high - *low + 1), ' '), expected;
      std::uint32_t state = 1;
      for (char& byte : memory) byte = static_cast<char>((state = state * 1664525u + 1013904223u) >> 24);
      const char* buffer = memory.data() - *low;
      for (const std::int64_t at : bytes) expected.push_back(buffer[at]);
      const plan::PlanPtr one = plan::compile(*type), all = plan::compile(*folded);
      for (const std::int64_t chunk : {one->size() * count, std::int64_t{7}}) {
        EXPECT_TRUE(packed(*one, count, buffer, chunk) == expected) << name << ", " << count << ", by " << chunk;
        EXPECT_TRUE(packed(*all, 1, buffer, chunk) == expected) << name << ", " << count << ", by " << chunk;
      }
    }
  }
}

// Before, body and after for `count` elements, as a form's runs.
std::vector<Entry> runs_of(const normal::MessageForm& message, std::int64_t extent, std::int64_t count) {
  std::vector<Entry> runs = expand(message.before);
  const auto add = [&](const normal::NodePtr& node, std::int64_t offset) {
    const std::vector<Entry> more = expand({offset, node});
    runs.insert(runs.end(), more.begin(), more.end());
  };
  const std::int64_t copies = message.each * count + message.extra;
  if (message.body->kind == normal::Kind::kLoop) {
    for (std::int64_t i = 0; i < copies; ++i) add(message.body->body, message.body_offset + i * message.body->stride);
  } else {
    runs.push_back({message.body_offset, copies});
  }
  if (message.after.node) add(message.after.node, message.after.offset + count * extent);
  return fused(runs);
}

TEST(CountFolding, GrowsToTheRunsOfContiguous) {
  int folded = 0;
  for (const auto& [name, type] : families()) {
    const normal::MessageForm message = normal::normalise_message(*type);
    if (!message.body) continue;
    ++folded;
    EXPECT_LE(message.min_count(), 12) << name;
    for (std::int64_t count = message.min_count(); count <= 40; ++count)
      EXPECT_EQ(runs_of(message, type->extent, count),
                fused(expand(normal::normalise(*layout::contiguous(count, type)))))
          << name << ", " << count;
  }
  EXPECT_GE(folded, 10);
}

// The loop, and what stands before and after it, are the nodes of contiguous' own form.
TEST(CountFolding, GrowsToTheFormOfContiguous) {
  constexpr std::int64_t kCount = 100'000;
  for (const auto& [name, type] : families()) {
    const normal::MessageForm message = normal::normalise_message(*type);
    if (!message.body || message.body->kind != normal::Kind::kLoop) continue;
    const normal::Form form = normal::normalise(*layout::contiguous(kCount, type));
    std::vector<normal::Part> parts;
    if (form.node->kind == normal::Kind::kSequence)
      for (const normal::Part& part : form.node->parts) parts.push_back({form.offset + part.offset, part.node});
    else
      parts.push_back({form.offset, form.node});
    const auto loop = std::find_if(parts.begin(), parts.end(), [](const normal::Part& part) {
      return part.node->kind == normal::Kind::kLoop && part.node->count > kCount / 2;
    });
    ASSERT_NE(loop, parts.end()) << name << ": " << normal::text(form);
    EXPECT_EQ(loop->offset, message.body_offset) << name;
    EXPECT_EQ(loop->node->count, message.each * kCount + message.extra) << name;
    EXPECT_EQ(loop->node->stride, message.body->stride) << name;
    EXPECT_TRUE(normal::equal(*loop->node->body, *message.body->body)) << name;
    const auto runs = [](auto first, auto last) {
      std::vector<Entry> result;
      for (; first != last; ++first)
        for (const Entry& entry : expand({first->offset, first->node})) result.push_back(entry);
      return result;
    };
    normal::Form after = message.after;
    after.offset += kCount * type->extent;
    EXPECT_EQ(runs(parts.begin(), loop), expand(message.before)) << name;
    EXPECT_EQ(runs(loop + 1, parts.end()), expand(after)) << name;
  }
}

// Columns that are apart until one runs into the row below: with more of them than a plan has looked at, the last
// write must win.
TEST(CountFolding, ColumnsThatComeToOverlap) {
  const LayoutPtr column = layout::resized(0, 4, layout::vector(6, 1, 8, type("int32")));
  const plan::PlanPtr plan = plan::compile(*column);
  const Oracle oracle(*column);
  for (std::int64_t count = 1; count <= 40; ++count) {
    const auto bytes = oracle.byte_displacements(count);
    std::vector<std::byte> packed(bytes.size()), expected(1024, std::byte{0xEE}), got = expected;
    for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = static_cast<std::byte>(i * 37 + i / 251);
    const auto total = static_cast<std::int64_t>(packed.size());
    oracle_unpack(bytes, expected.data(), 0, packed.data(), total);
    ASSERT_EQ(move::unpack(*plan, count, got.data(), 0, packed.data(), total), total);
    ASSERT_EQ(got, expected) << count << " columns";
  }
}

}  // namespace
}  // namespace gapless::test

// Equality of layouts and messages: exact, and in the time of the description.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "normal/compare.hpp"
#include "plan/plan.hpp"
#include "unit/types.hpp"

namespace gapless::test {
namespace {

constexpr std::int64_t kTera = 1'000'000'000'000;

bool same_messages(std::int64_t count_a, const LayoutPtr& a, std::int64_t count_b, const LayoutPtr& b) {
  const normal::Form one = normal::normalise(*a), other = normal::normalise(*b);
  const normal::RepeatedForm x{one, count_a, a->extent}, y{other, count_b, b->extent};
  const bool same = normal::same_sequence(x, y);
  EXPECT_EQ(normal::same_sequence(y, x), same) << "not symmetric";
  return same;
}

bool same(const LayoutPtr& a, const LayoutPtr& b) {
  return same_messages(1, a, 1, b);
}

// Generous: what is not lazy takes hours.
class Quickly {
 public:
  ~Quickly() {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start_;
    EXPECT_LT(took.count(), 10.0) << "[s]: the runs were compared one by one";
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

LayoutPtr int32() {
  return type("int32");
}

// Blocks of 4 bytes at multiples of 8: `members` of them a struct.
LayoutPtr columns(std::int64_t members) {
  return layout::resized(0, 8 * members, layout::vector(members, 1, 2, int32()));
}

// `members` unlike blocks, which no rule makes a loop, in 64 bytes for each.
LayoutPtr unlike_blocks(std::int64_t members, std::int64_t last = 0) {
  Numbers lengths, places;
  std::uint64_t state = 7;
  for (std::int64_t i = 0; i < members; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    lengths.push_back(1 + static_cast<std::int64_t>(state >> 60) % 7);
    places.push_back(16 * i + static_cast<std::int64_t>((state >> 40) & 1) * 4);
  }
  lengths.back() += last;
  return layout::resized(0, 16 * members, layout::hindexed(lengths, places, type("byte")));
}

TEST(LayoutEqual, LongLoopsOfUnlikePeriods) {
  const Quickly quickly;
  // One sequence of 7 * 11 * 13 * 10^9 columns, told in periods whose common multiple is far from any of them.
  const std::int64_t all = 7 * 11 * 13 * std::int64_t{1'000'000'000};
  const LayoutPtr sevens = layout::contiguous(all / 7, columns(7)), elevens = layout::contiguous(all / 11, columns(11));
  EXPECT_TRUE(same(sevens, elevens));
  EXPECT_TRUE(same_messages(all / 7, columns(7), all / 13, columns(13)));
  EXPECT_FALSE(same_messages(all / 7, columns(7), all / 13 - 1, columns(13)));
}

// Two irregular patterns repeated, which stay loops of unlike bodies: unequal early, and equal for as long as they are.
TEST(LayoutEqual, LoopsWhoseBodiesAreIrregular) {
  const Quickly quickly;
  const LayoutPtr one = unlike_blocks(30), other = unlike_blocks(30, 1);
  const auto times = [](std::int64_t count, const LayoutPtr& of) { return layout::contiguous(count, of); };
  EXPECT_TRUE(same_messages(kTera, one, kTera / 10, times(10, one)));
  EXPECT_FALSE(same_messages(kTera, one, kTera, other));
  // The same 10^12 copies, grouped by 14 and by 15: a struct of two parts keeps either from being one loop.
  const auto grouped = [&](std::int64_t group) {
    const LayoutPtr part = times(group - 1, one);
    return structure({1, 1}, {0, (group - 1) * one->extent}, {part, one});
  };
  const std::int64_t count = 14 * 15 * std::int64_t{1'000'000'000};
  EXPECT_TRUE(same_messages(count / 14, grouped(14), count / 15, grouped(15)));
  EXPECT_FALSE(same_messages(count / 14, grouped(14), count / 15 - 1, grouped(15)));
  // Unequal at the very end only.
  const LayoutPtr end_one = structure({1, 1}, {0, kTera * one->extent}, {times(kTera, one), one});
  const LayoutPtr end_other = structure({1, 1}, {0, kTera * one->extent}, {times(kTera, one), other});
  const LayoutPtr end_moved = structure({1, 1}, {0, kTera * one->extent + 1}, {times(kTera, one), one});
  EXPECT_FALSE(same(end_one, end_other));
  EXPECT_FALSE(same(end_one, end_moved));
  EXPECT_TRUE(same(end_one, times(kTera + 1, one)));
}

// Fine and Wilf's bound is sharp: two words of periods p and q may agree on p + q - 2 letters and differ after them.
TEST(LayoutEqual, WordsThatAgreeAlmostLongEnough) {
  // The gaps: 0100101001 0 has the periods 5 and 8 for 11 letters, which is 5 + 8 - 2.
  const auto word = [](const std::string& gaps) {
    Numbers places;
    std::int64_t place = 0;
    for (const char gap : gaps) {
      places.push_back(place);
      place += gap == '0' ? 8 : 12;
    }
    return layout::resized(0, place, layout::hindexed_block(1, places, int32()));
  };
  const LayoutPtr five = word("01001"), eight = word("01001010");
  EXPECT_FALSE(same_messages(8, five, 5, eight));
  EXPECT_FALSE(same_messages(8 * kTera, five, 5 * kTera, eight));
  EXPECT_TRUE(same(layout::contiguous(2, five), word("0100101001")));
}

// Graphs that share their parts, each built anew: no node is the same object.
LayoutPtr three_fold(int depth, std::int64_t gap, std::int64_t last) {
  LayoutPtr result = structure({1, 1}, {0, 5}, {int32(), type("byte")});
  for (int i = 0; i < depth; ++i) {
    const std::int64_t extent = result->extent, more = i + 1 == depth ? last : 0;
    result = structure({1, 1, 1}, {0, extent + gap, 2 * extent + 5 * gap + more}, {result, result, type("byte")});
  }
  return result;
}

TEST(LayoutEqual, DeepSharedGraphs) {
  const Quickly quickly;
  EXPECT_TRUE(same(three_fold(40, 8, 0), three_fold(40, 8, 0)));
  EXPECT_FALSE(same(three_fold(40, 8, 0), three_fold(40, 8, 1)));
  EXPECT_FALSE(same(three_fold(40, 8, 0), three_fold(40, 9, 0)));
}

LayoutPtr crossed(int depth) {
  LayoutPtr result = structure({1, 1}, {0, 5}, {int32(), type("byte")});
  for (int i = 0; i < depth; ++i) {
    const std::int64_t extent = result->extent;
    const LayoutPtr left = structure({1, 1}, {0, extent + 8}, {result, type("byte")});
    const LayoutPtr right = structure({1, 1}, {0, extent + 16}, {result, type("byte")});
    result = structure({1, 1}, {0, left->extent + 3}, {left, right});
  }
  return result;
}

TEST(LayoutEqual, CrossedGraphs) {
  const Quickly quickly;
  EXPECT_TRUE(same(crossed(24), crossed(24)));
}

TEST(LayoutEqual, AMillionUnlikeBlocks) {
  const Quickly quickly;
  constexpr std::int64_t kBlocks = 1'000'000;
  const LayoutPtr whole = unlike_blocks(kBlocks);
  EXPECT_TRUE(same(whole, unlike_blocks(kBlocks)));
  EXPECT_FALSE(same(whole, unlike_blocks(kBlocks, 1)));
  EXPECT_FALSE(same_messages(2, whole, 2, unlike_blocks(kBlocks, 1)));
  EXPECT_TRUE(same_messages(2, whole, 1, layout::contiguous(2, whole)));
}

TEST(LayoutEqual, AListInTwoStructs) {
  const Quickly quickly;
  constexpr std::int64_t kBlocks = 200'000;
  Numbers lengths(kBlocks), places(kBlocks);
  for (std::int64_t i = 0; i < kBlocks; ++i) {
    lengths[static_cast<std::size_t>(i)] = 1 + i * i % 7;
    places[static_cast<std::size_t>(i)] = 12 * i + i * i % 5;
  }
  const LayoutPtr whole = layout::hindexed(lengths, places, type("byte"));
  for (const std::int64_t cut : {1, 77'777, 199'999}) {
    const Numbers left(places.begin(), places.begin() + cut), left_lengths(lengths.begin(), lengths.begin() + cut);
    Numbers right(places.begin() + cut, places.end());
    const Numbers right_lengths(lengths.begin() + cut, lengths.end());
    const LayoutPtr head = layout::hindexed(left_lengths, left, type("byte"));
    const auto joined = [&](std::int64_t shift) {
      return structure({1, 1}, {0, shift}, {head, layout::hindexed(right_lengths, right, type("byte"))});
    };
    EXPECT_TRUE(same(whole, joined(0))) << cut;
    EXPECT_FALSE(same(whole, joined(-1))) << cut;
    right.back() += 1;
    EXPECT_FALSE(same(whole, joined(0))) << cut;
  }
}

TEST(LayoutEqual, StridesBelowZeroAndZero) {
  const Quickly quickly;
  EXPECT_TRUE(same(layout::hvector(kTera, 1, -8, int32()),
                   layout::hvector(kTera / 4, 1, -32, layout::hvector(4, 1, -8, int32()))));
  EXPECT_FALSE(same(layout::hvector(3, 1, -8, int32()), layout::hvector(3, 1, 8, int32())));
  EXPECT_TRUE(
      same(layout::hvector(kTera, 1, 0, int32()), layout::hvector(kTera / 8, 8, 0, layout::resized(0, 0, int32()))));
  EXPECT_FALSE(same(layout::hvector(kTera, 1, 0, int32()), layout::hvector(kTera, 1, 4, int32())));
  EXPECT_FALSE(same(layout::hvector(5, 1, 0, int32()), layout::hvector(4, 1, 0, int32())));
  // Twice the same place is not once, and an order is not another.
  EXPECT_FALSE(same(structure({1, 1}, {0, 8}, {int32(), int32()}), structure({1, 1}, {8, 0}, {int32(), int32()})));
}

TEST(LayoutEqual, NothingIsNothing) {
  const LayoutPtr none = layout::contiguous(0, int32()),
                  hollow = layout::resized(-8, 64, layout::vector(3, 0, 9, int32()));
  EXPECT_TRUE(same(none, hollow));
  EXPECT_TRUE(same_messages(0, int32(), 5, hollow));
  EXPECT_TRUE(same_messages(kTera, none, 0, type("double")));
  EXPECT_FALSE(same(none, type("byte")));
  EXPECT_FALSE(same_messages(1, int32(), 0, int32()));
}

TEST(LayoutEqual, TheRunsAreComparedWhateverTheTypes) {
  EXPECT_TRUE(same(type("double"), layout::contiguous(8, type("byte"))));
  EXPECT_TRUE(same_messages(kTera, int32(), 4 * kTera, type("byte")));
  EXPECT_FALSE(same(layout::hindexed(Numbers{4}, Numbers{1}, type("byte")), int32()));
}

TEST(LayoutEqual, OverflowIsRefused) {
  const auto refused = [](std::int64_t count, const LayoutPtr& of) {
    try {
      same_messages(count, of, count, of);
    } catch (const base::Error& error) {
      EXPECT_EQ(error.status(), base::Status::kOverflow);
      return std::string(error.what());
    }
    return std::string("(accepted)");
  };
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max() / 2;
  const LayoutPtr sparse = layout::resized(0, huge, type("byte")), below = layout::resized(0, -huge, type("byte"));
  EXPECT_NE(refused(huge, int32()).find("size of the message"), std::string::npos) << refused(huge, int32());
  EXPECT_NE(refused(4, sparse).find("extent of the message"), std::string::npos) << refused(4, sparse);
  EXPECT_NE(refused(4, below).find("extent of the message"), std::string::npos) << refused(4, below);
  const LayoutPtr behind = layout::resized(0, huge, structure({1}, {huge}, {int32()}));
  EXPECT_NE(refused(3, behind).find("bound of the message"), std::string::npos) << refused(3, behind);
  EXPECT_TRUE(same_messages(2, sparse, 2, sparse));
}

}  // namespace
}  // namespace gapless::test

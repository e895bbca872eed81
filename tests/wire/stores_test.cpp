// Which stores are taken for what they cost both ends.
#include "wire/stores.hpp"

#include <gtest/gtest.h>

namespace gapless::wire::test {

namespace {

constexpr std::int64_t kLarge = 64 << 10, kSmall = 9 << 10;

// [ns] What a KiB costs an end, packed in each way.
struct Costs {
  std::int64_t near, past;
};
struct Counts {
  int near = 0, past = 0, trials = 0;
};

// So many messages, of which each end says what it took, as `Outgoing` and `Incoming` do.
Counts send(Stores& stores, int messages, std::int64_t bytes, Costs packing, Costs unpacking) {
  Counts counts;
  for (int k = 0; k < messages; ++k) {
    const Trial trial = stores.next(bytes);
    const bool is_past = stores.is_past(trial, bytes);
    ++(is_past ? counts.past : counts.near);
    if (trial == Trial::kNone) continue;
    ++counts.trials;
    EXPECT_EQ(is_past, trial == Trial::kPast);
    for (const Costs& end : {packing, unpacking}) {
      stores.add(trial, bytes, (is_past ? end.past : end.near) * (bytes >> 10));
    }
  }
  EXPECT_EQ(counts.near + counts.past, messages);
  return counts;
}

bool is_past_preferred(const Stores& stores, std::int64_t bytes = kLarge) {
  return stores.is_past(Trial::kNone, bytes);
}

}  // namespace

TEST(Stores, BothAreTriedAndTheCheaperForBothEndsIsPreferred) {
  for (const bool is_past_cheap : {false, true}) {
    Stores stores;
    // What the sender saves past the caches costs the receiver more, or less.
    const Costs packing{20, 10}, unpacking{10, is_past_cheap ? 15 : 25};
    const Counts first = send(stores, 16, kLarge, packing, unpacking);
    EXPECT_EQ(first.near, first.past) << "all are trials";
    EXPECT_EQ(is_past_preferred(stores), is_past_cheap);
    for (int k = 0; k < 10; ++k) {
      const Counts counts = send(stores, 1024, kLarge, packing, unpacking);
      EXPECT_EQ(counts.trials, 8) << "it is tried again, seldom";
      EXPECT_EQ(is_past_cheap ? counts.near : counts.past, 4) << "each as often";
      EXPECT_EQ(is_past_preferred(stores), is_past_cheap);
    }
  }
}

TEST(Stores, ThePreferenceFollowsTheCosts) {
  Stores stores;
  send(stores, 10'000, kLarge, {10, 20}, {10, 10});
  for (int k = 0; k < 3; ++k) {
    ASSERT_FALSE(is_past_preferred(stores));
    send(stores, 10'000, kLarge, {270, 10}, {10, 10});
    ASSERT_TRUE(is_past_preferred(stores));
    send(stores, 20'000, kLarge, {10, 20}, {10, 10});
  }
}

TEST(Stores, OneInterruptedEndDecidesNothing) {
  Stores stores;
  send(stores, 1000, kLarge, {10, 15}, {10, 10});
  stores.add(Trial::kNear, kLarge, 10'000'000);
  // Its message counts four usual ones at most: half as much again, of which a few trials leave nothing.
  send(stores, 3000, kLarge, {10, 15}, {10, 10});
  EXPECT_FALSE(is_past_preferred(stores));
}

TEST(Stores, EachSizeHasItsOwn) {
  Stores stores;
  send(stores, 1000, kLarge, {10, 20}, {10, 10});
  send(stores, 1000, kSmall, {20, 10}, {10, 10});
  EXPECT_FALSE(is_past_preferred(stores, kLarge));
  EXPECT_TRUE(is_past_preferred(stores, kSmall));
  // Shorter ones are of the smallest size. Of sizes that were never sent nothing is known, nor of those beyond the
  // last.
  EXPECT_TRUE(is_past_preferred(stores, 1));
  EXPECT_FALSE(is_past_preferred(stores, std::int64_t{1} << 40));
}

TEST(Stores, CostsAreByByte) {
  // Of one size's messages the long ones go by one way, the short ones by the other.
  constexpr std::int64_t kLong = 64 << 10, kShort = 34 << 10;
  for (const bool is_long_near : {false, true}) {
    Stores stores;
    for (int k = 0; k < 16; ++k) {
      const Trial trial = stores.next(kLong);
      const bool is_long = (trial == Trial::kNear) == is_long_near;
      const std::int64_t bytes = is_long ? kLong : kShort;
      stores.add(trial, bytes, (is_long ? 10 : 15) * (bytes >> 10));
    }
    EXPECT_EQ(is_past_preferred(stores), !is_long_near);
  }
}

TEST(Stores, WhichIsTriedFirstIsChance) {
  // A program that sends by turns what is cheap and what is dear to pack: both ways meet both.
  Stores stores;
  int dear_past = 0, trials = 0;
  for (int k = 0; k < 100'000; ++k) {
    const Trial trial = stores.next(kLarge);
    if (trial == Trial::kNone || k % 2 == 0) continue;
    ++trials;
    dear_past += trial == Trial::kPast ? 1 : 0;
  }
  EXPECT_GT(dear_past, trials / 4);
  EXPECT_LT(dear_past, trials * 3 / 4);
}

}  // namespace gapless::wire::test

// Which stores are taken for what they cost. The clock is the test's, so that costs are exact.
#include "wire/stores.hpp"

#include <gtest/gtest.h>

namespace gapless {

namespace {

std::int64_t clock_ns = 0;

}  // namespace

std::int64_t base::now_ns() noexcept {
  return clock_ns;
}

namespace wire::test {

namespace {

constexpr std::int64_t kLarge = 64 << 10, kSmall = (16 << 10) - 1;

// Parts that cost so many ns a KiB, and how many were packed by each.
struct Costs {
  std::int64_t near, past;
};
struct Counts {
  int near = 0, past = 0;
};

Counts pack(Stores& stores, int parts, std::int64_t bytes, Costs costs) {
  Counts counts;
  for (int k = 0; k < parts; ++k) {
    stores.pack(
        bytes, [&] { ++counts.near, clock_ns += costs.near * (bytes >> 10); },
        [&] { ++counts.past, clock_ns += costs.past * (bytes >> 10); });
  }
  EXPECT_EQ(counts.near + counts.past, parts) << "each part once";
  return counts;
}

}  // namespace

TEST(Stores, BothAreTriedAndTheCheaperIsPreferred) {
  for (const bool is_past_cheap : {false, true}) {
    Stores stores;
    const Costs costs = is_past_cheap ? Costs{20, 10} : Costs{10, 20};
    const Counts first = pack(stores, 48, kLarge, costs);
    EXPECT_EQ(first.near, first.past) << "all are trials";
    EXPECT_EQ(stores.is_past_preferred(), is_past_cheap);
    for (int k = 0; k < 10; ++k) {
      const Counts counts = pack(stores, 1000, kLarge, costs);
      const int worse = is_past_cheap ? counts.near : counts.past;
      EXPECT_GT(worse, 0) << "it is never tried again";
      EXPECT_LT(worse, 1000 / 20);
      EXPECT_EQ(stores.is_past_preferred(), is_past_cheap);
    }
  }
}

TEST(Stores, ThePreferenceFollowsTheCosts) {
  Stores stores;
  pack(stores, 10'000, kLarge, {10, 20});
  for (int k = 0; k < 3; ++k) {
    ASSERT_FALSE(stores.is_past_preferred());
    pack(stores, 10'000, kLarge, {20, 10});
    ASSERT_TRUE(stores.is_past_preferred());
    pack(stores, 10'000, kLarge, {10, 20});
  }
}

TEST(Stores, SmallPartsAreNoTrials) {
  Stores stores;
  pack(stores, 48, kLarge, {10, 20});
  ASSERT_FALSE(stores.is_past_preferred());
  // They go as large ones, and what they cost says nothing.
  EXPECT_EQ(pack(stores, 10'000, kSmall, {1000, 1}).near, 10'000);
  EXPECT_FALSE(stores.is_past_preferred());
  // Nor do they stand in a trial's place.
  Stores fresh;
  pack(fresh, 1000, kSmall, {10, 20});
  const Counts first = pack(fresh, 48, kLarge, {10, 20});
  EXPECT_EQ(first.near, first.past);
}

TEST(Stores, CostsAreByByte) {
  // The trials take turns: long parts go by one way, short ones by the other.
  for (const bool is_long_near : {false, true}) {
    Stores stores;
    for (int k = 0; k < 48; ++k) {
      const bool is_near = k % 2 == 0;
      pack(stores, 1, is_near == is_long_near ? 4 * kLarge : kLarge, is_long_near ? Costs{10, 20} : Costs{20, 10});
    }
    EXPECT_EQ(stores.is_past_preferred(), !is_long_near);
  }
}

}  // namespace wire::test

}  // namespace gapless

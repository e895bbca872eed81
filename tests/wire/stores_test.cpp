// Which stores are taken for what they cost both ends.
#include "wire/stores.hpp"

#include <gtest/gtest.h>

namespace gapless::wire::test {

namespace {

constexpr std::int64_t kLarge = 64 << 10, kSmall = 9 << 10, kRun = 256;

StoresKind kind_of(std::int64_t bytes, std::int64_t run = kRun, Sending sending = Sending::kAlone) {
  return {bytes, run, sending};
}

// [ns] What a KiB costs an end, packed in each way.
struct Costs {
  std::int64_t near, past;
};
struct Counts {
  int near = 0, past = 0, trials = 0, watched = 0;
};

// So many messages, of which each end says what it took, as `Outgoing` and `Incoming` do.
Counts send(Stores& stores, int messages, std::int64_t bytes, Costs packing, Costs unpacking) {
  const StoresKind kind = kind_of(bytes);
  Counts counts;
  for (int k = 0; k < messages; ++k) {
    const Trial trial = stores.next(kind);
    const bool is_past = stores.is_past(trial, kind);
    ++(is_past ? counts.past : counts.near);
    if (trial == Trial::kNone) continue;
    ++(trial == Trial::kWatched ? counts.watched : counts.trials);
    if (trial != Trial::kWatched) {
      EXPECT_EQ(is_past, trial == Trial::kPast);
    }
    for (const Costs& end : {packing, unpacking}) {
      stores.add(trial, kind, bytes, (is_past ? end.past : end.near) * (bytes >> 10));
    }
  }
  EXPECT_EQ(counts.near + counts.past, messages);
  return counts;
}

bool is_past_preferred(const Stores& stores, std::int64_t bytes = kLarge) {
  return stores.is_past(Trial::kNone, kind_of(bytes));
}

}  // namespace

TEST(Stores, BothAreTriedAndTheCheaperForBothEndsIsPreferred) {
  for (const bool is_past_cheap : {false, true}) {
    Stores stores;
    // What the sender saves past the caches costs the receiver more, or less.
    const Costs packing{20, 10}, unpacking{10, is_past_cheap ? 15 : 25};
    // The first ones meet cold memory: no trials.
    EXPECT_EQ(send(stores, 2, kLarge, {}, {}).trials, 0);
    const Counts first = send(stores, 16, kLarge, packing, unpacking);
    EXPECT_EQ(first.near, first.past) << "all are trials";
    EXPECT_EQ(is_past_preferred(stores), is_past_cheap);
    for (int k = 0; k < 10; ++k) {
      const Counts counts = send(stores, 1024, kLarge, packing, unpacking);
      EXPECT_EQ(counts.trials, 64) << "it is tried again, seldom: a sixth is lost by one of 32";
      EXPECT_EQ(is_past_cheap ? counts.near : counts.past, 32) << "each as often";
      EXPECT_NEAR(counts.watched, (1024 - 64) / 8, 40);
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

TEST(Stores, AMachineThatChangesIsNoticedWithinFewMessages) {
  for (const bool is_past_first : {false, true}) {
    const auto costs = [&](std::int64_t preferred, std::int64_t other) {
      return is_past_first ? Costs{other, preferred} : Costs{preferred, other};
    };
    Stores stores;
    // The others take so much longer that they are tried once in 512 messages.
    send(stores, 20'000, kLarge, costs(10, 60), {10, 10});
    ASSERT_EQ(is_past_preferred(stores), is_past_first);
    // The sender alone finds the change.
    const Counts counts = send(stores, 200, kLarge, costs(400, 60), {10, 10});
    EXPECT_LE(is_past_first ? counts.past : counts.near, 80);
    EXPECT_NE(is_past_preferred(stores), is_past_first);
    EXPECT_GE(counts.trials, 16);
  }
}

TEST(Stores, AFewInterruptionsTryNothingAnew) {
  Stores stores;
  send(stores, 1000, kLarge, {10, 15}, {10, 10});
  for (int k = 0; k < 100; ++k) {
    // Both ends of a message, and then a few usual ones.
    for (const std::int64_t ns : {10'000'000, 10'000'000, 640, 640, 640, 640})
      stores.add(Trial::kWatched, kind_of(kLarge), kLarge, ns);
    ASSERT_LE(send(stores, 16, kLarge, {10, 15}, {10, 10}).trials, 2) << k;
  }
}

TEST(Stores, OneInterruptedEndDecidesNothing) {
  Stores stores;
  send(stores, 1000, kLarge, {10, 15}, {10, 10});
  stores.add(Trial::kNear, kind_of(kLarge), kLarge, 10'000'000);
  // Its message counts four usual ones at most: half as much again, of which a few trials leave nothing.
  send(stores, 3000, kLarge, {10, 15}, {10, 10});
  EXPECT_FALSE(is_past_preferred(stores));
}

TEST(Stores, WhatTrialsLoseIsBounded) {
  // Per mille of what messages by the better stores would take, whatever the worse ones cost.
  for (const std::int64_t worse : {11, 13, 20, 50, 80}) {
    Stores stores;
    send(stores, 1000, kLarge, {10, worse}, {10, worse});
    const Counts counts = send(stores, 8192, kLarge, {10, worse}, {10, worse});
    EXPECT_GE(counts.trials, 16) << worse;
    EXPECT_LE(counts.past * (worse - 10) * 1000, 8192 * 10 * 10) << worse;
  }
}

TEST(Stores, EachKindHasItsOwn) {
  for (const StoresKind other :
       {kind_of(kLarge, 8), kind_of(kLarge, 4096), kind_of(kLarge, kRun, Sending::kAmongOthers)}) {
    Stores stores;
    send(stores, 1000, kLarge, {10, 20}, {10, 10});
    for (int k = 0; k < 18; ++k) {
      const Trial trial = stores.next(other);
      if (k < 2) continue;
      EXPECT_NE(trial, Trial::kNone);
      stores.add(trial, other, kLarge, trial == Trial::kPast ? 1000 : 2000);
    }
    EXPECT_FALSE(is_past_preferred(stores));
    EXPECT_TRUE(stores.is_past(Trial::kNone, other));
  }
}

TEST(Stores, AKindIsANumberThatAnotherProcessReads) {
  int valid = 0;
  for (std::uint64_t number = 0; number < 200; ++number) valid += StoresKind::is_valid(number) ? 1 : 0;
  EXPECT_EQ(valid, StoresKind::kAll);
  EXPECT_FALSE(StoresKind::is_valid(std::uint64_t{1} << 32));
  const StoresKind kind = kind_of(1 << 30, 1 << 20, Sending::kAmongOthers);
  EXPECT_EQ(kind.number(), StoresKind::kAll - 1u);
  EXPECT_EQ(StoresKind(std::uint64_t{kind.number()}).number(), kind.number());
  EXPECT_EQ(kind_of(1, 1).number(), 0u);
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
    for (int k = 0; k < 18; ++k) {
      const Trial trial = stores.next(kind_of(kLong));
      if (k < 2) continue;
      const bool is_long = (trial == Trial::kNear) == is_long_near;
      const std::int64_t bytes = is_long ? kLong : kShort;
      stores.add(trial, kind_of(bytes), bytes, (is_long ? 10 : 15) * (bytes >> 10));
    }
    EXPECT_EQ(is_past_preferred(stores), !is_long_near);
  }
}

TEST(Stores, WhichIsTriedFirstIsChance) {
  // A program that sends by turns what is cheap and what is dear to pack: both ways meet both.
  Stores stores;
  int dear_past = 0, trials = 0;
  for (int k = 0; k < 100'000; ++k) {
    const Trial trial = stores.next(kind_of(kLarge));
    if (trial == Trial::kNone || trial == Trial::kWatched || k % 2 == 0) continue;
    ++trials;
    dear_past += trial == Trial::kPast ? 1 : 0;
  }
  EXPECT_GT(dear_past, trials / 4);
  EXPECT_LT(dear_past, trials * 3 / 4);
}

}  // namespace gapless::wire::test

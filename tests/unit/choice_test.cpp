// The choice between two ways, on programs whose cycles take what each way makes them take.
#include <gtest/gtest.h>

#include <cstdint>

#include "wire/choice.hpp"

namespace gapless::test {

namespace {

constexpr double kWait_us = 35;

// A program that sends again and again.
struct Program {
  double host_us, other_us;
  double noise = 0;  // each cycle takes up to so much longer, as a share
  int late = 0;      // of ten receivers: who comes late does not copy, and the sender waits first
  bool refuses = false;
  wire::Choice choice{};
  std::int64_t now_ns = 1;
  std::uint64_t random = 88172645463325252u;
  int sent = 0, waits = 0;

  // The share of `messages` that took the other way.
  double sends(int messages) {
    int other = 0;
    for (int k = 0; k < messages; ++k) {
      const bool takes = choice.takes_other(now_ns);
      other += takes ? 1 : 0;
      random ^= random << 13, random ^= random >> 7, random ^= random << 17;
      const double more = noise * static_cast<double>(random % 1000) / 1000;
      const bool is_late = 7 * sent++ % 10 < late;
      double us = takes && !is_late && !refuses ? other_us : host_us;
      if (takes && is_late) {
        us += kWait_us;
        ++waits;
        choice.was_taken_back(static_cast<std::int64_t>(kWait_us * 1000));
      }
      if (takes && refuses) choice.was_refused();
      now_ns += static_cast<std::int64_t>(us * (1 + more) * 1000);
    }
    return static_cast<double>(other) / messages;
  }
};

}  // namespace

TEST(Choice, TheFirstMessageGoesByHost) {
  Program program{.host_us = 100, .other_us = 1};
  EXPECT_EQ(program.sends(1), 0);
}

TEST(Choice, TheFasterWayIsTaken) {
  Program other{.host_us = 100, .other_us = 60};
  other.sends(22);
  EXPECT_EQ(other.sends(200), 1);
  EXPECT_GT(other.sends(100'000), 0.98);
  Program host{.host_us = 60, .other_us = 100};
  host.sends(22);
  EXPECT_EQ(host.sends(200), 0);
  EXPECT_LT(host.sends(100'000), 0.02);
}

TEST(Choice, ADifferenceThatIsNotSureLeavesHost) {
  Program program{.host_us = 100, .other_us = 98};
  // Three trials, with at most nine messages between them.
  program.sends(22 + 2 * (20 + 10));
  EXPECT_EQ(program.sends(40), 0);
}

TEST(Choice, WhatIsExpectedIsTakenUntilATrialSaysOtherwise) {
  Program unsure{.host_us = 100, .other_us = 98, .choice = wire::Choice(true)};
  EXPECT_EQ(unsure.sends(1), 1);
  unsure.sends(22 + 2 * (20 + 10));
  EXPECT_EQ(unsure.sends(40), 1);
  Program wrong{.host_us = 60, .other_us = 100, .choice = wire::Choice(true)};
  wrong.sends(22);
  EXPECT_EQ(wrong.sends(200), 0);
  Program late{.host_us = 100, .other_us = 60, .late = 10, .choice = wire::Choice(true)};
  late.sends(22);
  EXPECT_EQ(late.sends(200), 0);
}

TEST(Choice, NoiseHidesNoClearDifference) {
  Program program{.host_us = 100, .other_us = 60, .noise = 0.3};
  program.sends(22);
  EXPECT_GT(program.sends(400), 0.9);
}

// Of two programs that send to each other in turn, the one's trials are in the other's cycles: where one of them has
// begun a block later than the other, each sees one message of either way in all of its cycles.
TEST(Choice, TwoSidesThatTryAtTheSameTime) {
  for (int later = 0; later <= 20; ++later) {
    SCOPED_TRACE(later);
    wire::Choice choices[2];
    std::int64_t now_ns = 1;
    int others = 0;
    const int messages = 300;
    for (int k = 0; k < 2 * messages; ++k) {
      const bool takes = (k % 2 == 0 || k / 2 >= later) && choices[k % 2].takes_other(now_ns);
      others += takes && k / 2 >= messages / 3 ? 1 : 0;
      now_ns += takes ? 85'000 : 100'000;
    }
    EXPECT_GT(others, 0.8 * 2 * (messages - messages / 3));
  }
}

TEST(Choice, FollowsAProgramThatChanges) {
  Program program{.host_us = 100, .other_us = 60};
  program.sends(1000);
  program.other_us = 150;
  program.sends(40'000);
  EXPECT_LT(program.sends(400), 0.2);
  EXPECT_LT(program.sends(100'000), 0.02);
}

TEST(Choice, ATrialThatConfirmsTheChoiceByAFactorOfTwoEndsHalfway) {
  Program host{.host_us = 100, .other_us = 200};
  EXPECT_EQ(host.sends(1 + 10) * 11, 5);
  EXPECT_EQ(host.sends(128), 0);
  Program other{.host_us = 200, .other_us = 100, .choice = wire::Choice(true)};
  EXPECT_EQ(other.sends(1 + 10) * 11, 1 + 5);
  EXPECT_EQ(other.sends(128), 1);
  Program unsure{.host_us = 100, .other_us = 190};
  EXPECT_EQ(unsure.sends(1 + 20) * 21, 10);
  // What would change it has a whole trial, whatever the difference.
  Program changes{.host_us = 300, .other_us = 100};
  EXPECT_EQ(changes.sends(1 + 20) * 21, 10);
  EXPECT_EQ(changes.sends(256), 1);
}

TEST(Choice, TrialsOfAWayThatIsMuchSlowerAreFew) {
  // Each trial has five of the slow one.
  Program program{.host_us = 10, .other_us = 100};
  EXPECT_LT(program.sends(1'000'000), 1e-3);
}

TEST(Choice, ReceiversThatBeginToComeLateCostEightWaits) {
  Program program{.host_us = 100, .other_us = 60};
  program.sends(20'000);  // the period is long by now
  program.late = 10;
  EXPECT_LT(program.sends(200), 0.05);
  EXPECT_LE(program.waits, 8);
  // Trials have ten more each, and are few.
  program.sends(20'000);
  EXPECT_LE(program.waits, 8 + 8 * 10);
  // Whatever it gains once they come in time.
  program.late = 0;
  program.sends(40'000);
  EXPECT_GT(program.sends(400), 0.9);
}

TEST(Choice, WaitsThatAreMoreThanTheGainReturnToHost) {
  // Of ten messages three wait, 105 us, and seven gain 5 us each: whatever the trials say, which have few of them.
  Program program{.host_us = 100, .other_us = 95};
  program.sends(200);
  program.late = 3;
  const int messages = 30'000;
  program.sends(messages);
  EXPECT_LT(program.waits, messages / 20);
}

TEST(Choice, WaitsThatAreLessThanTheGainChangeNothing) {
  Program program{.host_us = 100, .other_us = 60};
  program.sends(1000);
  program.late = 2;  // 70 us of 320
  EXPECT_GT(program.sends(20'000), 0.95);
}

TEST(Choice, AWayThatIsRefusedIsSeldomTried) {
  Program program{.host_us = 100, .other_us = 60};
  program.sends(1000);
  program.refuses = true;
  EXPECT_LE(program.sends(1'000'000) * 1'000'000, 62);
}

TEST(Choice, AChangeIsToldOnceWithItsReason) {
  using Why = wire::Choice::Why;
  Program program{.host_us = 100, .other_us = 60};
  program.sends(21);
  EXPECT_FALSE(program.choice.take_change());
  program.sends(1);
  auto change = program.choice.take_change();
  ASSERT_TRUE(change);
  EXPECT_TRUE(change->is_other);
  EXPECT_EQ(change->why, Why::kCycles);
  EXPECT_EQ(change->messages, 21);
  EXPECT_EQ(change->host_ns, 100'000);
  EXPECT_EQ(change->other_ns, 60'000);
  program.sends(10'000);  // trials that change nothing
  EXPECT_FALSE(program.choice.take_change());
  program.late = 10;
  program.sends(50);  // before the next trial
  change = program.choice.take_change();
  ASSERT_TRUE(change);
  EXPECT_FALSE(change->is_other);
  EXPECT_EQ(change->why, Why::kTakenBack);
  EXPECT_GE(change->messages, 10'022 + 8);
  program.late = 0;
  program.refuses = true;
  program.sends(1000);
  change = program.choice.take_change();
  ASSERT_TRUE(change);
  EXPECT_FALSE(change->is_other);
  EXPECT_EQ(change->why, Why::kRefused);
}

}  // namespace gapless::test

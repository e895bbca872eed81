// The choice between two ways, on programs whose cycles take what each way makes them take.
#include <gtest/gtest.h>

#include <cstdint>

#include "preload/paired/choice.hpp"

namespace gapless::test {

namespace {

// A program that sends again and again.
struct Program {
  double host_us, other_us;
  double noise = 0;  // each cycle takes up to so much longer, as a share
  preload::Choice choice{};
  std::int64_t now_ns = 1;
  std::uint64_t random = 88172645463325252u;

  // The share of `messages` that took the other way.
  double sends(int messages) {
    int other = 0;
    for (int k = 0; k < messages; ++k) {
      const bool takes = choice.takes_other(now_ns);
      other += takes ? 1 : 0;
      random ^= random << 13, random ^= random >> 7, random ^= random << 17;
      const double more = noise * static_cast<double>(random % 1000) / 1000;
      now_ns += static_cast<std::int64_t>((takes ? other_us : host_us) * (1 + more) * 1000);
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
  program.sends(22);
  EXPECT_EQ(program.sends(60), 0);
}

TEST(Choice, NoiseHidesNoClearDifference) {
  Program program{.host_us = 100, .other_us = 60, .noise = 0.3};
  program.sends(22);
  EXPECT_GT(program.sends(400), 0.9);
}

TEST(Choice, FollowsAProgramThatChanges) {
  Program program{.host_us = 100, .other_us = 60};
  program.sends(1000);
  program.other_us = 150;
  program.sends(40'000);
  EXPECT_LT(program.sends(400), 0.2);
  EXPECT_LT(program.sends(100'000), 0.02);
}

TEST(Choice, TrialsOfAWayThatIsMuchSlowerAreFew) {
  // Each trial has ten of the slow one.
  Program program{.host_us = 10, .other_us = 100};
  EXPECT_LT(program.sends(1'000'000), 1e-3);
}

}  // namespace gapless::test

// When processes ask each other whether blocks go through shared memory, and when they keep silent.
#include "preload/policy/asking.hpp"

#include <gtest/gtest.h>

namespace gapless::preload {
namespace {

// How many of so many calls asked; in those `paired` came out.
int asked(Asking& asking, Procedure procedure, int calls, bool paired) {
  int all = 0;
  for (int k = 0; k < calls; ++k) {
    const bool is_silent = asking.is_silent(procedure), asks = asking.asks(procedure);
    EXPECT_NE(is_silent, asks);
    if (!asks) continue;
    asking.learn(paired);
    ++all;
  }
  return all;
}

TEST(Asking, StopsSoonWhereNothingWasEverPaired) {
  Asking asking;
  EXPECT_EQ(asked(asking, Procedure::kAlltoall, 4, false), 4);
  EXPECT_TRUE(asking.is_silent(Procedure::kAlltoall));
  EXPECT_EQ(asked(asking, Procedure::kAlltoall, 8, false), 0);
  EXPECT_EQ(asked(asking, Procedure::kAlltoall, 1, false), 1);
}

TEST(Asking, StopsWhenForLongNothingWasPairedAndBeginsAgain) {
  Asking asking;
  EXPECT_EQ(asked(asking, Procedure::kAlltoall, 1, true), 1);
  EXPECT_EQ(asked(asking, Procedure::kAlltoall, 32, false), 32);
  EXPECT_TRUE(asking.is_silent(Procedure::kAlltoall));
  EXPECT_EQ(asked(asking, Procedure::kAlltoall, 8, false), 0);
  EXPECT_EQ(asked(asking, Procedure::kAlltoall, 1, false), 1);
  EXPECT_EQ(asked(asking, Procedure::kAlltoall, 8, false), 0);
  // All later ones, once something was paired.
  EXPECT_EQ(asked(asking, Procedure::kAlltoall, 100, true), 100);
  EXPECT_EQ(asked(asking, Procedure::kAlltoall, 31, false), 31);
  EXPECT_FALSE(asking.is_silent(Procedure::kAlltoall));
}

TEST(Asking, KnowsOneProcedureAtATime) {
  Asking asking;
  EXPECT_EQ(asked(asking, Procedure::kAlltoall, 12, false), 4);
  EXPECT_FALSE(asking.is_silent(Procedure::kAllgather));
  EXPECT_EQ(asked(asking, Procedure::kAllgather, 1, false), 1);
  EXPECT_EQ(asked(asking, Procedure::kAlltoall, 4, false), 4);
}

// One process may call the one, another process the other.
TEST(Asking, TakesLargeCountsForTheSameProcedure) {
  Asking asking;
  EXPECT_EQ(asked(asking, Procedure::kAlltoallv, 1, true), 1);
  EXPECT_EQ(asked(asking, Procedure::kAlltoallv, 20, false), 20);
  EXPECT_EQ(asked(asking, Procedure::kAlltoallv_c, 20, false), 12);
  EXPECT_EQ(asked(asking, Procedure::kAlltoallv, 1, false), 1);
}

TEST(Asking, KnowsIfAnythingWasGainedLately) {
  Asking asking, other;
  EXPECT_EQ(asked(asking, Procedure::kAlltoall, 1, true), 1);
  EXPECT_EQ(asked(asking, Procedure::kAlltoall, 31, false), 31);
  EXPECT_FALSE(Gains::none_lately());
  EXPECT_EQ(asked(other, Procedure::kGatherv, 1, false), 1);
  EXPECT_TRUE(Gains::none_lately());
  Gains::wish();
  EXPECT_FALSE(Gains::none_lately());
}

}  // namespace
}  // namespace gapless::preload

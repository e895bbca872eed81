// The schedules of the regular all-to-all algorithms: right, and what they cost.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "alltoall/bruck.hpp"
#include "alltoall/catalogue.hpp"
#include "alltoall/known_counts.hpp"
#include "base/status.hpp"
#include "unit/alltoall_machine.hpp"

namespace gapless::test {
namespace {

using alltoall::Algorithm;
using alltoall::Counts;

constexpr int kSimulated = 130;
constexpr int kCounted = 1024;

std::vector<const Algorithm*> with_schedules() {
  std::vector<const Algorithm*> found;
  for (int k = 0; const Algorithm* algorithm = alltoall::algorithm_at(k); ++k)
    if (!algorithm->library) found.push_back(algorithm);
  return found;
}

TEST(Alltoall, EveryBlockArrives) {
  for (const Algorithm* algorithm : with_schedules())
    for (int p = 1; p <= kSimulated; ++p) {
      EXPECT_EQ(run_schedule(algorithm->schedule(p), false), "") << algorithm->name << ", " << p << " processes";
      EXPECT_EQ(run_schedule(algorithm->in_place(p), true), "") << algorithm->name << ", " << p << ", in place";
    }
}

TEST(Alltoall, LargeNumbersOfProcesses) {
  for (const int p : {255, 256, 257, 300, 511, 512}) {
    EXPECT_EQ(run_schedule(alltoall::least_slots(p), false), "") << p;
    EXPECT_EQ(run_schedule(alltoall::least_slots_in_place(p), true), "") << p;
  }
}

// ceil(log2 p), without the header that the schedules use.
int expected_rounds(int p) {
  int rounds = 0;
  while ((1LL << rounds) < p) ++rounds;
  return rounds;
}

TEST(Alltoall, BrucksFamilyTakesLogarithmicRounds) {
  for (const Algorithm* algorithm : with_schedules()) {
    const std::string name = algorithm->name;
    if (name == "pairwise" || name == "spread-out") continue;
    for (int p = 1; p <= kCounted; ++p)
      for (const bool in_place : {false, true}) {
        const Counts counts = count(in_place ? algorithm->in_place(p) : algorithm->schedule(p));
        const int rounds = expected_rounds(p);
        ASSERT_EQ(counts.rounds, rounds) << name << ", " << p;
        ASSERT_EQ(counts.messages, rounds) << name << ", " << p;
        ASSERT_LE(counts.blocks_sent, rounds * (p / 2)) << name << ", " << p;
      }
  }
}

TEST(Alltoall, ZeroCopyCopiesNothing) {
  for (int p = 1; p <= kCounted; ++p) {
    EXPECT_EQ(count(alltoall::zero_copy_bruck(p)).blocks_copied, 0) << p;
    EXPECT_EQ(count(alltoall::least_slots(p)).blocks_copied, 0) << p;
  }
}

TEST(Alltoall, CopiesOfTheOthers) {
  for (int p = 2; p <= kCounted; ++p) {
    const Counts basic = count(alltoall::basic_bruck(p)), modified = count(alltoall::modified_bruck(p));
    EXPECT_EQ(basic.blocks_copied, 3 * (p - 1) + basic.blocks_sent) << p;
    EXPECT_EQ(modified.blocks_copied, p - 1 + modified.blocks_sent) << p;
    EXPECT_EQ(basic.blocks_sent, modified.blocks_sent) << p;
  }
}

// Blocks that stand somewhere in the busiest round of a zero-copy algorithm, counted on another one than ours: how many
// there are does not depend on where they stand.
int most_at_once(int p) {
  const alltoall::Schedule schedule = alltoall::zero_copy_bruck(p);
  std::vector<char> stands(static_cast<std::size_t>(p), false);
  int standing = 0, most = 0;
  for (const alltoall::Step& step : schedule.steps)
    for (const alltoall::Message& message : step.messages) {
      most = std::max(most, standing + static_cast<int>(message.blocks.size()));
      for (const alltoall::Move& block : message.blocks) {
        char& stood = stands[static_cast<std::size_t>(block.element)];
        standing += stood ? 0 : 1;
        stood = true;
      }
    }
  return most;
}

TEST(Alltoall, SlotsAreTheLeastNumber) {
  for (int p = 1; p <= kCounted; ++p) {
    const int slots = alltoall::least_slots(p).slots;
    EXPECT_EQ(slots, std::max(0, most_at_once(p) - p)) << p;  // one less, and a block of that round has no place
    EXPECT_LE(slots, std::max(0, p / 2 - 2)) << p;
    if (p >= 4 && std::has_single_bit(static_cast<unsigned>(p))) {
      EXPECT_EQ(slots, p / 2 - 2) << p;
    }
    if (p <= 6) {
      EXPECT_EQ(slots, 0) << p;
    }
  }
  const std::vector<std::pair<int, int>> known = {{13, 3},  {16, 6},   {36, 13},   {64, 30},
                                                  {80, 30}, {100, 41}, {1024, 510}};
  for (const auto& [p, slots] : known) EXPECT_EQ(alltoall::least_slots(p).slots, slots) << p;
}

TEST(Alltoall, SlotsAreUsed) {
  for (int p = 1; p <= 300; ++p) {
    const alltoall::Schedule schedule = alltoall::least_slots(p);
    int used = 0;
    for (const alltoall::Step& step : schedule.steps)
      for (const alltoall::Message& message : step.messages)
        for (const alltoall::Move& block : message.blocks)
          if (block.to.buffer == alltoall::Buffer::kSlot) used = std::max(used, block.to.index + 1);
    EXPECT_EQ(used, schedule.slots) << p;
  }
}

TEST(Alltoall, InPlaceTakesHalfAsManySlotsAsProcesses) {
  for (int p = 1; p <= kCounted; ++p) {
    const Counts counts = count(alltoall::least_slots_in_place(p));
    EXPECT_EQ(counts.slots, p / 2) << p;
    EXPECT_GE(counts.blocks_copied, p < 2 ? 0 : std::bit_width(static_cast<unsigned>(p)) - 1) << p;
    EXPECT_LT(counts.blocks_copied, std::max(1, p)) << p;
  }
}

// What the model knows without a schedule is what the schedule does.
TEST(Alltoall, CountsAreKnownWithoutTheSchedule) {
  struct Case {
    const char* name;
    alltoall::KnownCounts (*known_of)(int, bool);
  };
  for (const auto& [name, known_of] :
       {Case{"basic", alltoall::counts_of_basic}, Case{"spread-out", alltoall::counts_of_spread_out},
        Case{"least-slots", alltoall::counts_of_least_slots}}) {
    const Algorithm& algorithm = *alltoall::find_algorithm(name);
    for (int p = 1; p <= 300; ++p)
      for (const bool in_place : {false, true}) {
        const alltoall::Schedule schedule = in_place ? algorithm.in_place(p) : algorithm.schedule(p);
        const Counts counts = count(schedule);
        const alltoall::KnownCounts known = known_of(p, in_place);
        std::int64_t gathered = 0;
        for (const alltoall::Step& step : schedule.steps)
          for (const alltoall::Message& message : step.messages)
            if (message.blocks.size() > 1) gathered += static_cast<std::int64_t>(message.blocks.size());
        ASSERT_EQ(known.gathered, gathered) << name << ", " << p << ", in place: " << in_place;
        const Counts& k = known.counts;
        for (const auto& [found, expected] :
             {std::pair{k.rounds, counts.rounds}, std::pair{k.messages, counts.messages},
              std::pair{k.blocks_sent, counts.blocks_sent}, std::pair{k.blocks_copied, counts.blocks_copied},
              std::pair{k.slots, counts.slots}})
          ASSERT_EQ(found, expected) << name << ", " << p << ", in place: " << in_place;
      }
  }
}

// What docs/alltoall.md says.
TEST(Alltoall, InPlaceCopiesFew) {
  const std::vector<std::pair<int, int>> known = {{2, 1}, {8, 4}, {16, 6}, {36, 10}, {64, 34}, {100, 40}, {1024, 450}};
  for (const auto& [p, copies] : known) EXPECT_EQ(count(alltoall::least_slots_in_place(p)).blocks_copied, copies) << p;
}

TEST(Alltoall, OneMessageABlockWithoutForwarding) {
  for (int p = 1; p <= kCounted; p = p < 20 ? p + 1 : p * 2) {
    const Counts pairwise = count(alltoall::pairwise(p)), spread_out = count(alltoall::spread_out(p));
    EXPECT_EQ(pairwise.rounds, p - 1);
    EXPECT_EQ(pairwise.messages, p - 1);
    EXPECT_EQ(pairwise.blocks_sent, p - 1);
    EXPECT_EQ(pairwise.slots + pairwise.blocks_copied, 0);
    EXPECT_EQ(spread_out.rounds, p > 1 ? 1 : 0);
    EXPECT_EQ(spread_out.messages, p - 1);
    EXPECT_EQ(spread_out.slots + spread_out.blocks_copied, 0);
    EXPECT_EQ(count(alltoall::pairwise_in_place(p)).slots, std::min(2, p - 1));
    EXPECT_EQ(count(alltoall::spread_out_in_place(p)).slots, p - 1);
  }
}

TEST(Alltoall, ByName) {
  for (const Algorithm* algorithm : with_schedules()) EXPECT_EQ(alltoall::find_algorithm(algorithm->name), algorithm);
  EXPECT_EQ(alltoall::find_algorithm("least"), nullptr);
  EXPECT_EQ(alltoall::find_algorithm(""), nullptr);
  EXPECT_EQ(alltoall::algorithm_at(-1), nullptr);
  const Algorithm& least = *alltoall::find_algorithm("least-slots");
  EXPECT_EQ(schedule_of(least, 12, false), schedule_of(least, 12, false)) << "made once";
  EXPECT_EQ(schedule_of(least, 12, true)->slots, 6);
  EXPECT_THROW(schedule_of(least, 0, false), base::Error);
  EXPECT_THROW(schedule_of(least, alltoall::kMostProcesses + 1, false), base::Error);
  EXPECT_THROW(schedule_of(*alltoall::find_algorithm("library"), 4, false), base::Error);
}

TEST(Alltoall, SchedulesThatNobodyUsesAreForgotten) {
  const Algorithm& pairwise = *alltoall::find_algorithm("pairwise");
  const alltoall::SchedulePtr used = schedule_of(pairwise, 3, false);
  for (int p = 1; p <= 200; ++p) EXPECT_EQ(schedule_of(pairwise, p, false)->processes, p);
  EXPECT_EQ(schedule_of(pairwise, 3, false), used);
}

}  // namespace
}  // namespace gapless::test

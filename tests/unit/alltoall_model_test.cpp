// The model of the regular all-to-all, and the numbers that are built in.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "alltoall/known_counts.hpp"
#include "alltoall/measured.hpp"
#include "alltoall/model.hpp"

namespace gapless::alltoall {
namespace {

const Machine kMachines[] = {{}, Machines{}.far, {1e-6, 1e9, 1e11}, {3e-5, 1e11, 1e9}, {1e-12, 1, 1e18}};

// As docs/alltoall.md has it [s].
double cost_s(const KnownCounts& known, std::int64_t bytes, const Machine& machine) {
  const Counts& counts = known.counts;
  const auto n = static_cast<double>(bytes);
  return static_cast<double>(counts.rounds) * machine.latency_s +
         static_cast<double>(counts.messages - counts.rounds) * machine.latency_s / 2 +
         static_cast<double>(counts.blocks_sent) * n / machine.bandwidth +
         static_cast<double>(counts.blocks_copied + 2 * known.gathered) * n / machine.pack_rate;
}

// Bytes on either side of where the two cost the same may go either way.
void expect(const Range& range, std::int64_t bytes, double ours, double most, int processes) {
  if (ours < most * (1 - 1e-9)) {
    EXPECT_TRUE(range.has(bytes) || range.has(bytes - 1) || range.has(bytes + 1)) << processes << ' ' << bytes;
  } else if (ours > most * (1 + 1e-9)) {
    EXPECT_FALSE(range.has(bytes) && range.has(bytes - 1) && range.has(bytes + 1)) << processes << ' ' << bytes;
  }
}

TEST(AlltoallModel, calls_among_many_gain_a_quarter) {
  int taken = 0;
  for (const Machine& machine : kMachines)
    for (const int p : {3, 4, 7, 8, 16, 33, 64, 300})
      for (const bool is_in_place : {false, true}) {
        const Range range = range_of_calls(p, is_in_place, machine);
        for (std::int64_t bytes = 1; bytes < std::int64_t{1} << 30; bytes = bytes * 3 / 2 + 1) {
          const double theirs = std::min(cost_s(counts_of_basic(p, is_in_place), bytes, machine),
                                         cost_s(counts_of_spread_out(p, is_in_place), bytes, machine));
          const double ours = cost_s(counts_of_least_slots(p, is_in_place), bytes, machine) + 0.3e-6;
          expect(range, bytes, ours, 0.75 * theirs, p);
          taken += range.has(bytes) ? 1 : 0;
        }
      }
  EXPECT_GT(taken, 20);
}

TEST(AlltoallModel, persistent_ones_are_direct_where_that_is_cheaper) {
  for (const Machine& machine : kMachines)
    for (const int p : {3, 4, 8, 13, 32})
      for (const bool is_in_place : {false, true}) {
        const Range range = range_of_persistent(p, is_in_place, machine);
        for (std::int64_t bytes = 1; bytes < std::int64_t{1} << 30; bytes = bytes * 3 / 2 + 1)
          expect(range, bytes, cost_s(counts_of_spread_out(p, is_in_place), bytes, machine),
                 cost_s(counts_of_basic(p, is_in_place), bytes, machine), p);
      }
  EXPECT_TRUE(range_of_persistent(33, false, {}).is_empty());
  EXPECT_TRUE(range_of_persistent(4, false, {}).has(1));
  EXPECT_FALSE(range_of_persistent(8, false, {}).has(1));
  EXPECT_TRUE(range_of_persistent(8, false, {}).has(4096));
}

TEST(AlltoallModel, of_two_processes_what_was_measured) {
  Machine machine;
  machine.calls = {64, 8192};
  machine.in_place = {1, 100};
  EXPECT_EQ(range_of_calls(2, false, machine), machine.calls);
  EXPECT_EQ(range_of_calls(2, true, machine), machine.in_place);
  EXPECT_TRUE(range_of_calls(2, false, {}).is_empty());
  for (const bool is_in_place : {false, true}) {
    EXPECT_EQ(range_of_persistent(2, is_in_place, {}), (Range{0, INT64_MAX}));
    EXPECT_EQ(range_of_calls(1, is_in_place, {}), (Range{0, INT64_MAX}));
  }
  // Where nobody names an algorithm: long ones in any case, and short ones from there on that are as fast.
  EXPECT_EQ(range_of_ours(2, false, false, machine), (Range{64, INT64_MAX}));
  EXPECT_EQ(range_of_ours(2, true, false, machine), (Range{4096, INT64_MAX}));
  EXPECT_EQ(range_of_ours(2, false, true, machine), (Range{0, INT64_MAX}));
}

TEST(AlltoallModel, numbers_that_are_built_in_and_a_file_in_their_place) {
  unsetenv("GAPLESS_ALLTOALL_FILE");
  const char* const mpich = "MPICH Version:      5.0.2\nMPICH Release date: today";
  const Measured built_in = measured_machines(mpich);
  EXPECT_EQ(built_in.refused, "");
  EXPECT_TRUE(built_in.machines.near.calls.has(64));
  EXPECT_TRUE(built_in.machines.near.in_place.is_empty() && built_in.machines.far.calls.is_empty());
  EXPECT_DOUBLE_EQ(built_in.machines.far.latency_s, 20e-6);
  EXPECT_TRUE(measured_machines("Open MPI v5.0.11, package: x").machines.near.calls.is_empty());
  EXPECT_TRUE(measured_machines("Intel(R) MPI Library 2021.19 for Linux* OS").machines.near.in_place.has(64));

  const std::string path = testing::TempDir() + "alltoall_model";
  const auto write = [&](const char* text) {
    std::FILE* const file = std::fopen(path.c_str(), "w");
    std::fputs(text, file);
    std::fclose(file);
  };
  write("gapless-alltoall 1\nlibrary MPICH\n  near latency 1 bandwidth 2 pack 3\nend\n");
  setenv("GAPLESS_ALLTOALL_FILE", ("/nonexistent/file:" + path).c_str(), 1);
  const Measured measured = measured_machines(mpich);
  EXPECT_EQ(measured.refused, "");
  EXPECT_DOUBLE_EQ(measured.machines.near.bandwidth, 2);
  EXPECT_TRUE(measured.machines.near.calls.is_empty());
  write("gapless-alltoall 1\nlibrary MPICH\n  near latency 1\nend\n");
  EXPECT_EQ(measured_machines(mpich).refused, path + ": line 3: latency, bandwidth and pack are wanted, once each");
  EXPECT_TRUE(measured_machines(mpich).machines.near.calls.has(64));
  std::remove(path.c_str());
  EXPECT_EQ(measured_machines(mpich).refused, "/nonexistent/file: there is no such file");
  unsetenv("GAPLESS_ALLTOALL_FILE");
}

}  // namespace
}  // namespace gapless::alltoall

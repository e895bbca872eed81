// The model of the irregular all-to-all, and the file that has its numbers.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "alltoall/irregular_model.hpp"
#include "alltoall/machine.hpp"

namespace gapless::alltoall::irregular {
namespace {

TEST(IrregularModel, names_lead_back) {
  for (const Algorithm one : kAlgorithms) {
    Algorithm found{};
    EXPECT_TRUE(find_algorithm(name_of(one), found));
    EXPECT_EQ(found, one);
  }
  Algorithm found{};
  EXPECT_FALSE(find_algorithm("bruck", found));
  EXPECT_FALSE(find_algorithm("", found));
}

TEST(IrregularModel, few_processes_and_long_blocks_go_directly) {
  const Machine machine;
  for (int p = 1; p <= 8; ++p) EXPECT_TRUE(is_always_direct(p, false, machine)) << p;
  for (const Machine& any : {machine, Machine{3600, 1e18, 1e18}, Machine{1e-12, 1, 1}, Machine{3600, 1, 1e18}})
    for (int p = 1; p <= kMostAlwaysDirect; ++p)
      for (const bool is_persistent : {false, true}) EXPECT_TRUE(is_always_direct(p, is_persistent, any)) << p;
  EXPECT_FALSE(is_always_direct(kMostAlwaysDirect + 1, true, {3600, 1e18, 1e18}));
  EXPECT_EQ(choose({64, 1 << 20, 1 << 20, false}, machine), Algorithm::kLibrary);
  EXPECT_EQ(choose({64, 1 << 20, 1 << 20, true}, machine), Algorithm::kLibrary);
  EXPECT_EQ(choose({32, 1 << 20, 1 << 20, true}, machine), Algorithm::kSpreadOut);
  EXPECT_EQ(choose({2, 8, 8, true}, machine), Algorithm::kSpreadOut);
  EXPECT_EQ(choose({2, 8, 8, false}, machine), Algorithm::kLibrary);
}

TEST(IrregularModel, short_blocks_of_many_processes_travel_together) {
  const Machine near, far{2e-5, 1e9, 8e9};
  EXPECT_EQ(choose({256, 8, 8, false}, far), Algorithm::kPadded);  // no sizes to be told
  EXPECT_EQ(choose({256, 0, 60, false}, far), Algorithm::kPadded);
  EXPECT_EQ(choose({64, 0, 1000, false}, far), Algorithm::kTwoPhase);
  EXPECT_EQ(choose({64, 8000, 8000, false}, {2e-5, 1e11, 8e9}), Algorithm::kZeroCopy);
  EXPECT_EQ(choose({64, 0, 64, true}, near), Algorithm::kTwoPhase);
  EXPECT_EQ(choose({64, 400, 400, true}, far), Algorithm::kZeroCopy);
  EXPECT_EQ(choose({256, 0, 1 << 13, true}, near), Algorithm::kLibrary);
}

// What lets a call do without asking for the sizes.
TEST(IrregularModel, what_never_gains_without_bytes_never_gains) {
  int never = 0;
  for (const Machine& machine : {Machine{}, Machine{2e-5, 1e9, 8e9}, Machine{1e-7, 1e10, 1e9}})
    for (int p = 1; p < 80; ++p) {
      if (!is_always_direct(p, true, machine)) continue;
      EXPECT_TRUE(is_always_direct(p, false, machine)) << p;  // where sizes are told besides
      ++never;
      for (std::int64_t largest = 0; largest < 1 << 20; largest = largest * 2 + 1)
        for (const std::int64_t smallest : {std::int64_t{0}, largest})
          EXPECT_EQ(choose({p, smallest, largest, true}, machine), direct(p, true)) << p << ' ' << largest;
    }
  EXPECT_GT(never, 0);
}

const std::string kText =
    "gapless-alltoall 1\n"
    "# written by a test\n"
    "library Open MPI\n"
    "  near latency 1e-6 bandwidth 1e9 pack 2e9\n"
    "library MPICH Version: 5.0.2\n"
    "  far latency 3e-5 bandwidth 3e9 pack 4e9 # between nodes\n"
    "  near in-place 0 4096 latency 6e-7 calls 1 8192 bandwidth 6e9 pack 7e9\n"
    "library MPICH\n"
    "  near latency 1 bandwidth 1 pack 1\n"
    "end\n";

TEST(IrregularMachine, the_first_section_of_the_library_counts) {
  Machines machines;
  const Reading reading = read_machines(kText, "MPICH Version:      5.0.2\nMPICH Release date: today", machines);
  EXPECT_EQ(reading.reason, "");
  EXPECT_TRUE(reading.has_section);
  EXPECT_DOUBLE_EQ(machines.far.latency_s, 3e-5);
  EXPECT_DOUBLE_EQ(machines.far.bandwidth, 3e9);
  EXPECT_DOUBLE_EQ(machines.far.pack_rate, 4e9);
  EXPECT_DOUBLE_EQ(machines.near.latency_s, 6e-7);
  EXPECT_EQ(machines.near.calls, (Range{1, 8192}));
  EXPECT_EQ(machines.near.in_place, (Range{0, 4096}));
  EXPECT_TRUE(machines.far.calls.is_empty() && machines.far.in_place.is_empty());
  Machines others;
  EXPECT_FALSE(read_machines(kText, "Intel(R) MPI Library 2021", others).has_section);
  EXPECT_DOUBLE_EQ(others.near.bandwidth, Machine{}.bandwidth);
}

TEST(IrregularMachine, words_count_whole) {
  const std::string version = "MPICH Version: 4.1.3";
  const auto names = [](const std::string& words, const std::string& library) {
    Machines machines;
    return read_machines("gapless-alltoall 1\nlibrary " + words + "\nend\n", library, machines).has_section;
  };
  for (const char* const some : {"*", "MPICH", "MPICH   Version:", "Version: 4.1.3", "4.1.3"})
    EXPECT_TRUE(names(some, version)) << some;
  for (const char* const none : {"MPICH Version: 4.1", "PICH", "4.1", "1.3", ",", "MPICH Version: 4.1.3 x"})
    EXPECT_FALSE(names(none, version)) << none;
  EXPECT_TRUE(names("Open MPI v5.0.1", "Open MPI v5.0.1, package: Open MPI"));
  EXPECT_FALSE(names("Open MPI v5.0.1", "Open MPI v5.0.11, package: Open MPI"));
  EXPECT_TRUE(names("4.1", "MPICH 4.1.3 for 4.1"));
}

TEST(IrregularMachine, what_is_wrong_is_refused_whole_and_named) {
  const std::string head = "gapless-alltoall 1\n", library = head + "library *\n";
  struct Case {
    std::string text, reason;
    int line;
  };
  const Case cases[] = {
      {"", "empty", 0},
      {"gapless-alltoall 2\nend\n", "begin with", 1},
      {head, "cut off", 0},
      {kText.substr(0, kText.size() - 4), "cut off", 0},
      {library + "near latency 1e-6 bandwidth 1e9\nend\n", "once each", 3},
      {library + "near latency 1e-6 latency 1e-6 pack 1e9\nend\n", "once each", 3},
      {library + "near latency 1e-6 bandwidth 1e9 pack 1e9 1\nend\n", "nothing is called '1'", 3},
      {library + "near latency 1e-6 bandwidth 1e9 pack\nend\n", "'' is no pack", 3},
      {library + "near latency 1 bandwidth 1 pack 1 calls 1\nend\n", "'1 ' are no bytes", 3},
      {library + "near latency 1 bandwidth 1 pack 1 calls 2 1\nend\n", "'2 1' are no bytes", 3},
      {library + "near latency 1 bandwidth 1 pack 1 calls -1 1\nend\n", "'-1 1' are no bytes", 3},
      {library + "near latency 1 bandwidth 1 pack 1 in-place 0 1e3\nend\n", "'0 1e3' are no bytes", 3},
      {library + "near latency 1 bandwidth 1 pack 1 calls 0 1099511627777\nend\n", "are no bytes", 3},
      {library + "near latency 1 bandwidth 1 pack 1 calls 0 1 calls 0 1\nend\n", "once, if at all", 3},
      {library + "near latency -1 bandwidth 1e9 pack 1e9\nend\n", "'-1' is no latency", 3},
      {library + "near latency nan bandwidth 1e9 pack 1e9\nend\n", "'nan' is no latency", 3},
      {library + "near latency 1e-6 bandwidth 0 pack 1e9\nend\n", "'0' is no bandwidth", 3},
      {library + "near latency 1e-6 bandwidth 1e9x pack 1e9\nend\n", "'1e9x' is no bandwidth", 3},
      {library + "near speed 1e-6 bandwidth 1e9 pack 1e9\nend\n", "'speed'", 3},
      {library + "nearby latency 1e-6 bandwidth 1e9 pack 1e9\nend\n", "'nearby' is not known", 3},
      {head + "near latency 1e-6 bandwidth 1e9 pack 1e9\nend\n", "no 'library'", 2},
      {library + "end\nlibrary *\n", "follows 'end'", 4},
      {library + "near latency 1 bandwidth 1 pack 1\nlibrary MPICH\nfar latency 1\nend\n", "once each", 5},
  };
  for (const Case& one : cases) {
    Machines machines;
    machines.near.latency_s = 7;
    const Reading reading = read_machines(one.text, "MPICH", machines);
    EXPECT_NE(reading.reason.find(one.reason), std::string::npos) << one.text << reading.reason;
    EXPECT_EQ(reading.line, one.line) << one.text;
    EXPECT_FALSE(reading.has_section);
    EXPECT_DOUBLE_EQ(machines.near.latency_s, 7) << one.text;
  }
}

TEST(IrregularMachine, of_a_file) {
  Machines machines;
  EXPECT_EQ(read_machines_of("/nonexistent/file", "MPICH", machines).reason, "No such file or directory");
  EXPECT_EQ(read_machines_of("/tmp", "MPICH", machines).reason, "it is no file");
  EXPECT_EQ(read_machines_of("/dev/zero", "MPICH", machines).reason, "it is no file");
  const std::string path = testing::TempDir() + "irregular_machine";
  std::FILE* const file = std::fopen(path.c_str(), "w");
  std::fputs(kText.c_str(), file);
  std::fclose(file);
  EXPECT_TRUE(read_machines_of(path.c_str(), "Open MPI v5", machines).has_section);
  EXPECT_DOUBLE_EQ(machines.near.pack_rate, 2e9);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace gapless::alltoall::irregular

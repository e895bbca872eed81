// Another process's memory, read by the kernel, and what processes tell each other of that.
#include <cerrno>
#include <cstring>
#include <utility>

#include "wire/node.hpp"
#include "wire/reach.hpp"

namespace gapless::wire::test {

namespace {

struct ReachTest : testing::Test {
  // Two ends that wait for each other by a byte in a pipe.
  ReachTest() {
    EXPECT_EQ(pipe(to_parent), 0);
    EXPECT_EQ(pipe(to_child), 0);
  }
  static void tell(const int (&end)[2]) { EXPECT_EQ(write(end[1], "x", 1), 1); }
  static void hear(const int (&end)[2]) {
    char byte;
    EXPECT_EQ(::read(end[0], &byte, 1), 1);
  }
  int to_parent[2], to_child[2];
};

}  // namespace

TEST_F(ReachTest, ReadsWhatIsListed) {
  static char memory[100'000];
  const pid_t child = begin([&] {
    for (std::size_t k = 0; k < sizeof memory; ++k) memory[k] = static_cast<char>(k % 251);
    tell(to_parent);
    hear(to_child);
  });
  hear(to_parent);
  std::vector<char> one(50'000), two(10);
  const iovec here[] = {{one.data(), one.size()}, {two.data(), two.size()}};
  const iovec there[] = {{memory + 7, 10}, {memory + 1000, 50'000}};
  EXPECT_TRUE(read_memory(child, here, there));
  for (std::size_t k = 0; k < 10; ++k) EXPECT_EQ(one[k], static_cast<char>((k + 7) % 251));
  EXPECT_EQ(one[10], static_cast<char>(1000 % 251));
  EXPECT_EQ(two[9], static_cast<char>((1000 + 50'000 - 1) % 251));
  const iovec wrong[] = {{memory, 10}, {reinterpret_cast<void*>(16), 50'000}};
  EXPECT_FALSE(read_memory(child, here, wrong));
  EXPECT_EQ(errno, EFAULT);
  tell(to_child);
  expect_good_end(child);
  EXPECT_FALSE(read_memory(child, here, there));
  EXPECT_EQ(errno, ESRCH);
}

TEST_F(ReachTest, BothKnowWhoReachesWhom) {
  const int file = made(2, 64 * kMega);
  const pid_t child = begin([&] {
    Segment segment;
    attach(segment, file, 1);
    tell(to_parent);
    hear(to_child);
    EXPECT_TRUE(segment.is_reached_by(0));
    EXPECT_FALSE(segment.is_reached_by(1));
  });
  hear(to_parent);
  {
    Segment segment;
    attach(segment, dup(file), 0);
    EXPECT_FALSE(segment.is_reached_by(1));
    EXPECT_TRUE(segment.reaches(1));
    EXPECT_FALSE(segment.is_reached_by(1));
    EXPECT_EQ(segment.pid_of(1), child);
  }
  tell(to_child);
  expect_good_end(child);
}

TEST_F(ReachTest, NobodyIsToldThatOneIsReachedWhoIsNot) {
  const int file = made(2, 64 * kMega);
  in_child([&] {
    Segment segment;
    attach(segment, file, 1);
  });
  Segment segment, later;
  attach(segment, dup(file), 0);
  int refusal = 0;
  EXPECT_FALSE(segment.reaches(1, &refusal));
  EXPECT_EQ(std::exchange(refusal, 0), ESRCH);
  EXPECT_FALSE(segment.reaches(1, &refusal));
  EXPECT_EQ(refusal, 0) << "it was asked before";
  attach(later, file, 1);
  EXPECT_FALSE(later.is_reached_by(0));
}

}  // namespace gapless::wire::test

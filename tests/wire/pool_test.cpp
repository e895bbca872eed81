// Who gets how many chunks and records, and that all come back.
#include <numeric>

#include "wire/channels.hpp"
#include "wire/node.hpp"
#include "wire/pool.hpp"

namespace gapless::wire::test {

namespace {

struct PoolTest : testing::Test {
  static constexpr std::uint32_t kMost = 64;  // a process's chunks

  PoolTest() { attach(segment, made(3, 2 * kMost * kChunkBytes), 0); }

  // What Outgoing does with the chunks of a message to one receiver, for its first `used` parts.
  void occupy(const Lease& lease, std::uint32_t used) {
    segment.record(0, lease.record).occupy(1);
    for (std::uint32_t k = 0; k < used; ++k) segment.chunk(0, lease.chunks[k]).occupy(1);
  }
  void give_back(const Lease& lease, std::uint32_t used) {
    for (std::uint32_t k = 0; k < used; ++k) segment.chunk(0, lease.chunks[k]).give_back();
    segment.record(0, lease.record).give_back();
  }
  static std::vector<std::uint32_t> from_to(std::uint32_t from, std::uint32_t to) {
    std::vector<std::uint32_t> numbers(to - from);
    std::iota(numbers.begin(), numbers.end(), from);
    return numbers;
  }

  Segment segment;
};

}  // namespace

TEST_F(PoolTest, TheLowestFreeOnesFirst) {
  Pool pool(segment);
  Lease a, b, c, d;
  ASSERT_TRUE(pool.take(3, 1, a));
  EXPECT_EQ(a.chunks, from_to(0, 3));
  EXPECT_EQ(a.record, 0u);
  ASSERT_TRUE(pool.take(4, 2, b));
  EXPECT_EQ(b.chunks, from_to(3, 7));
  EXPECT_EQ(b.record, 1u);
  EXPECT_EQ(pool.size(), 8u);
  EXPECT_EQ(pool.busy(), 7u);
  occupy(a, 2);
  pool.lend(a, 2);
  EXPECT_EQ(pool.busy(), 6u) << "one was not used";
  ASSERT_TRUE(pool.take(2, 1, c));
  EXPECT_EQ(c.chunks, (std::vector<std::uint32_t>{2, 7}));
  EXPECT_EQ(c.record, 2u);
  give_back(a, 2);
  EXPECT_EQ(pool.busy(), 6u);
  ASSERT_TRUE(pool.take(1, 1, d));
  EXPECT_EQ(d.chunks, from_to(0, 1));
  EXPECT_EQ(d.record, 0u);
}

TEST_F(PoolTest, NothingIsLentTwice) {
  Pool pool(segment);
  Lease a, b;
  ASSERT_TRUE(pool.take(5, 1, a));
  occupy(a, 5);
  pool.lend(a, 5);
  segment.chunk(0, 4).give_back();
  ASSERT_TRUE(pool.take(5, 1, b));
  EXPECT_EQ(b.chunks, (std::vector<std::uint32_t>{4, 5, 6, 7, 8}));
  EXPECT_EQ(b.record, 1u) << "that of the first is with its receiver";
}

TEST_F(PoolTest, HalfOfItForOnePeer) {
  Pool pool(segment);
  Lease a, b, c, d;
  EXPECT_FALSE(pool.take(kMost / 2 + 1, 1, a));
  ASSERT_TRUE(pool.take(kMost / 2, 1, a));
  EXPECT_FALSE(pool.take(1, 1, b));
  ASSERT_TRUE(pool.take(kMost / 2 - 4, 2, b));
  EXPECT_FALSE(pool.take(5, Pool::kNoPeer, c)) << "full";
  ASSERT_TRUE(pool.take(4, Pool::kNoPeer, c));
  EXPECT_EQ(pool.busy(), kMost);
  EXPECT_FALSE(pool.take(1, Pool::kNoPeer, d));
  // Chunks that were not used, and those that came back, count no more.
  occupy(a, 10);
  pool.lend(a, 10);
  EXPECT_FALSE(pool.take(kMost / 2 - 9, 1, d));
  ASSERT_TRUE(pool.take(kMost / 2 - 10, 1, d));
  pool.lend(d, 0);
  give_back(a, 10);
  ASSERT_TRUE(pool.take(kMost / 2, 1, d));
  occupy(d, kMost / 2);
  pool.lend(d, kMost / 2);
  EXPECT_FALSE(pool.take(1, 1, a));
  pool.lend(b, 0);
  pool.lend(c, 0);
  EXPECT_FALSE(pool.take(1, 1, a)) << "half of it is with this peer, whatever is free";
  ASSERT_TRUE(pool.take(kMost / 2, Pool::kNoPeer, a));
}

TEST_F(PoolTest, MessagesUnderWayAreLimited) {
  Pool pool(segment);
  std::vector<Lease> leases(kRecords);
  for (std::uint32_t k = 0; k < kRecords; ++k) {
    ASSERT_TRUE(pool.take(0, Pool::kNoPeer, leases[k]));
    EXPECT_EQ(leases[k].record, k);
  }
  Lease more;
  EXPECT_FALSE(pool.take(1, 1, more));
  EXPECT_EQ(pool.busy(), 0u);
  pool.lend(leases[77], 0);
  ASSERT_TRUE(pool.take(1, 1, more));
  EXPECT_EQ(more.record, 77u);
  occupy(more, 1);
  pool.lend(more, 1);
  EXPECT_FALSE(pool.take(1, 1, leases[77]));
  give_back(more, 1);
  EXPECT_TRUE(pool.take(1, 1, leases[77]));
}

TEST_F(PoolTest, AllComesBack) {
  Pool pool(segment);
  for (int round = 0; round < 1000; ++round) {
    Lease lease;
    const auto parts = static_cast<std::uint32_t>(round) % 31 + 1;
    const std::uint32_t used = parts - static_cast<std::uint32_t>(round) % parts;
    ASSERT_TRUE(pool.take(parts, 1 + round % 2, lease));
    EXPECT_EQ(lease.record, 0u);
    EXPECT_EQ(lease.chunks, from_to(0, parts));
    occupy(lease, used);
    pool.lend(lease, used);
    EXPECT_EQ(pool.busy(), used);
    give_back(lease, used);
    EXPECT_EQ(pool.busy(), 0u);
  }
}

TEST(Pool, TheCapOfTheNode) {
  SharedBoard two, three;
  on_node(2, 64 * kChunkBytes, [&](Segment& segment, int self) {
    Pool pool(segment);
    Lease lease;
    if (self == 0) {
      EXPECT_TRUE(pool.take(32, Pool::kNoPeer, lease)) << "a process alone may have half of it";
    }
    two->meet(2, 1);
    if (self == 1) {
      EXPECT_TRUE(pool.take(32, Pool::kNoPeer, lease));
      EXPECT_EQ(segment.used_bytes(), segment.cap_bytes());
      pool.lend(lease, 0);
    }
  });
  on_node(3, 64 * kChunkBytes, [&](Segment& segment, int self) {
    Pool pool(segment);
    Lease lease;
    if (self < 2) {
      EXPECT_TRUE(pool.take(32, Pool::kNoPeer, lease));
    }
    three->meet(3, 1);
    if (self == 2) {
      EXPECT_FALSE(pool.take(1, Pool::kNoPeer, lease));
      EXPECT_EQ(pool.busy(), 0u);
      EXPECT_EQ(segment.used_bytes(), segment.cap_bytes());
    }
  });
}

TEST(Channel, LettersComeInOrderAndOneAtATime) {
  Segment segment;
  attach(segment, made(3, 8 * kMega), 0);
  const int number = Channel::take(segment, 3);
  ASSERT_EQ(number, 0);
  EXPECT_EQ(Channel::take(segment, 4), -1) << "more members than processes";
  std::unique_ptr<Channel> ends[3];
  for (int k = 0; k < 3; ++k) ASSERT_NE(ends[k] = Channel::open(segment, number, k, 3), nullptr);
  Letter letter;
  EXPECT_FALSE(ends[1]->fetch(0, letter));
  for (std::uint32_t k = 0; k < 100; ++k) {
    ASSERT_TRUE(ends[0]->post(1, {.ticket = {.record = k, .bytes = k}, .word = k + 1}));
    EXPECT_FALSE(ends[0]->post(1, {.ticket = {}, .word = 99}));
    ASSERT_TRUE(ends[1]->post(0, {.ticket = {}, .word = 1000 + k}));
    EXPECT_FALSE(ends[2]->fetch(0, letter));
    ASSERT_TRUE(ends[1]->fetch(0, letter));
    EXPECT_EQ(letter.word, k + 1);
    EXPECT_EQ(letter.ticket.record, k);
    EXPECT_EQ(letter.ticket.bytes, k);
    EXPECT_FALSE(ends[1]->fetch(0, letter));
    ASSERT_TRUE(ends[0]->fetch(1, letter));
    EXPECT_EQ(letter.word, 1000 + k);
  }
}

TEST(Channel, ItsNumberComesBackWithTheLastEndAndIsEmpty) {
  Segment segment;
  attach(segment, made(3, 8 * kMega), 0);
  ASSERT_EQ(Channel::take(segment, 2), 0);
  ASSERT_EQ(Channel::take(segment, 3), 1);
  auto first = Channel::open(segment, 0, 0, 2), second = Channel::open(segment, 0, 1, 2);
  ASSERT_TRUE(first->post(1, {.ticket = {}, .word = 5}));
  first.reset();
  ASSERT_EQ(Channel::take(segment, 2), 2);
  Letter letter;
  ASSERT_TRUE(second->fetch(0, letter)) << "sent before the other end closed";
  ASSERT_TRUE(second->post(0, {.ticket = {}, .word = 6}));
  second.reset();
  ASSERT_EQ(Channel::take(segment, 2), 0);
  first = Channel::open(segment, 0, 0, 2);
  second = Channel::open(segment, 0, 1, 2);
  EXPECT_FALSE(first->fetch(1, letter));
  EXPECT_FALSE(second->fetch(0, letter));
  EXPECT_TRUE(second->post(0, {.ticket = {}, .word = 7}));
  for (int k = 3; k < Segment::kChannels; ++k) ASSERT_EQ(Channel::take(segment, 2), k);
  EXPECT_EQ(Channel::take(segment, 2), -1);
  EXPECT_EQ(Channel::open(segment, Segment::kChannels, 0, 2), nullptr);
  EXPECT_EQ(Channel::open(segment, -1, 0, 2), nullptr);
}

TEST(Channel, CostsWhatItsMembersNeedAndGivesItBack) {
  constexpr int kProcesses = 64, kPairs = 100;
  const int file = made(kProcesses, 8 * kMega), watch = dup(file);
  Segment segment;
  attach(segment, file, 0);
  const std::int64_t before = bytes_behind(watch);
  std::vector<std::unique_ptr<Channel>> ends;
  const auto begin = [&](int members) {
    const int number = Channel::take(segment, members);
    for (int k = 0; number >= 0 && k < members; ++k) ends.push_back(Channel::open(segment, number, k, members));
    return number;
  };
  for (int k = 0; k < kPairs; ++k) ASSERT_EQ(begin(2), k);
  EXPECT_GE(segment.used_bytes(), kPairs * bytes_of_channel(2));
  EXPECT_LT(segment.used_bytes(), kMega);
  EXPECT_LT(bytes_behind(watch) - before, kMega);
  // Of all processes only some fit below the cap, and none stays taken that does not.
  int number = kPairs;
  while (begin(kProcesses) == number) ++number;
  EXPECT_GE(number, kPairs + 5);
  EXPECT_LE(number, kPairs + 8 * kMega / bytes_of_channel(kProcesses));
  EXPECT_LE(segment.used_bytes(), segment.cap_bytes());
  EXPECT_EQ(begin(2), number);
  ends.clear();
  EXPECT_EQ(segment.used_bytes(), 0);
  EXPECT_EQ(bytes_behind(watch), before);
  close(watch);
}

}  // namespace gapless::wire::test

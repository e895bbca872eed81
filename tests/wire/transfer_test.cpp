// Messages between processes: every size, to one and to several, with any patience of the sender.
#include "base/clock.hpp"
#include "wire/node.hpp"
#include "wire/traffic.hpp"

namespace gapless::wire::test {

namespace {

// Until the pool is as it was.
void expect_all_back(Pool& pool) {
  const std::int64_t began = base::now_ns();
  while (pool.busy() != 0 && base::now_ns() - began < 10'000'000'000) usleep(100);
  EXPECT_EQ(pool.busy(), 0u);
}

void exchange_on_node(int processes, std::int64_t cap, const std::vector<Message>& messages, std::uint64_t seed) {
  SharedBoard board;
  on_node(processes, cap, [&](Segment& segment, int self) {
    if (self == 0) board->number = Channel::take(segment, processes);
    board->meet(processes, 1);
    const auto channel = Channel::open(segment, board->number, self, processes);
    ASSERT_NE(channel, nullptr);
    std::vector<int> peers;
    for (int k = 0; k < processes; ++k) peers.push_back(k);
    Pool pool(segment);
    ASSERT_EQ(exchange(segment, pool, *channel, self, peers, messages, seed + static_cast<std::uint64_t>(self)), "");
    expect_all_back(pool);
  });
}

}  // namespace

TEST(Transfer, SizesAroundParts) {
  std::vector<Message> messages;
  constexpr std::int64_t kLeast = 32 << 10;
  for (const std::int64_t around : {std::int64_t{1}, kLeast, 2 * kLeast, 4 * kLeast, 4 * kChunkBytes, 8 * kChunkBytes,
                                    9 * kChunkBytes, 20 * kMega}) {
    for (const std::int64_t bytes : {around - 1, around, around + 1}) {
      if (bytes == 0) continue;
      messages.push_back({.from = 0, .to = 1, .bytes = bytes});
      messages.push_back({.from = 1, .to = 0, .bytes = bytes});
    }
  }
  exchange_on_node(2, 256 * kMega, messages, 1);
}

TEST(Transfer, ManyBetweenTwo) {
  exchange_on_node(2, 64 * kMega, random_messages(2, 2, 400, 4 * kMega), 2);
}

TEST(Transfer, ManyAmongFour) {
  exchange_on_node(4, 64 * kMega, random_messages(3, 4, 400, 4 * kMega), 3);
}

TEST(Transfer, AtTheCap) {
  // Room for two of the longest messages on the whole node: all the others wait for chunks.
  exchange_on_node(3, 6 * kMega, random_messages(4, 3, 300, kMega), 4);
}

TEST(Transfer, OneToAll) {
  std::vector<Message> messages;
  for (int k = 0; k < 12; ++k) messages.push_back({.from = k % 4, .to = -1, .bytes = (k + 1) * 777'777});
  exchange_on_node(4, 256 * kMega, messages, 5);
}

TEST(Transfer, TheSenderEndsBeforeTheReceiverBegins) {
  SharedBoard board;
  on_node(2, 64 * kMega, [&](Segment& segment, int self) {
    const std::vector<Message> messages{{.from = 0, .to = 1, .bytes = 5 * kMega}};
    Pool pool(segment);
    if (self == 0) {
      ASSERT_EQ(Channel::take(segment, 2), 0);
      auto channel = Channel::open(segment, 0, 0, 2);
      EXPECT_EQ(exchange(segment, pool, *channel, 0, {0, 1}, messages, 6), "");
      EXPECT_EQ(pool.busy(), 54u) << "all parts";
    }
    board->meet(2, 1);
    if (self == 1) {
      auto channel = Channel::open(segment, 0, 1, 2);
      EXPECT_EQ(exchange(segment, pool, *channel, 1, {0, 1}, messages, 6), "");
    }
    board->meet(2, 2);
    EXPECT_EQ(pool.busy(), 0u);
  });
}

TEST(Transfer, BothEndsOfATrialSayWhatItTook) {
  constexpr std::int64_t kBytes = 64 << 10;
  // One way costs one end much: the other way is preferred.
  for (const Trial slow : {Trial::kNear, Trial::kPast}) {
    for (const bool is_packing_slow : {true, false}) {
      Segment segment;
      attach(segment, made(2, 64 * kMega), 0);
      Pool pool(segment);
      // Several times, for what is far from the usual counts little at first.
      for (int k = 0; k < 24; ++k) {
        const Trial trial = k % 2 == 0 ? Trial::kNear : Trial::kPast;
        Lease lease;
        ASSERT_TRUE(pool.take(2, 1, lease));
        const Ticket ticket{.record = lease.record, .bytes = kBytes, .part_bytes = kBytes / 2, .trial = trial};
        // One part alone is slow, another one for each end, and of the cheaper way the other part a little: whoever
        // counts one part alone prefers the wrong one.
        const auto move = [&](bool is_slow_end, bool is_its_part) {
          const bool is_slow = is_slow_end && is_its_part == (trial == slow);
          const std::int64_t until = base::now_ns() + (!is_slow ? 0 : trial == slow ? 50'000 : 2'000);
          while (base::now_ns() < until) {
          }
        };
        Outgoing<Segment> outgoing(segment, std::move(lease), ticket, 1);
        Incoming<Segment> incoming(segment, ticket);
        while (outgoing.advance(false, [&](std::int64_t at, char*, std::int64_t) { move(is_packing_slow, at == 0); }) ==
               Step::kMoved) {
        }
        while (incoming.advance([&](std::int64_t at, const char*, std::int64_t) { move(!is_packing_slow, at > 0); }) ==
               Step::kMoved) {
        }
        pool.lend(outgoing.lease(), outgoing.used_chunks());
      }
      EXPECT_EQ(segment.stores(0).is_past(Trial::kNone, StoresKind()), slow == Trial::kNear);
    }
  }
}

// A receiver begins when the first part is there; of many messages each part more takes a chunk.
TEST(Transfer, AMessageAloneHasMoreParts) {
  const auto parts = [](std::int64_t bytes, Sending sending) { return parts_of(bytes, part_bytes_of(bytes, sending)); };
  EXPECT_EQ(parts(16 << 10, Sending::kAlone), 4);
  EXPECT_EQ(parts(16 << 10, Sending::kAmongOthers), 1);
  EXPECT_EQ(parts(64 << 10, Sending::kAmongOthers), 2);
  for (const Sending sending : {Sending::kAlone, Sending::kAmongOthers}) {
    EXPECT_EQ(parts(1, sending), 1);
    EXPECT_EQ(parts(256 << 10, sending), 4);
  }
}

TEST(Transfer, NonsenseIsNoticed) {
  Segment segment;
  attach(segment, made(2, 64 * kMega), 0);
  Pool pool(segment);
  Lease lease;
  ASSERT_TRUE(pool.take(2, 1, lease));
  segment.record(0, lease.record).occupy(1);
  segment.record(0, lease.record).link_to(123'456);
  Incoming<Segment> incoming(segment, {.record = lease.record, .bytes = 2, .part_bytes = 1});
  EXPECT_EQ(incoming.advance([](std::int64_t, const char*, std::int64_t) { FAIL(); }), Step::kBroken);
}

}  // namespace gapless::wire::test

// The irregular all-to-all's schedules, run by all processes at once on made-up blocks: no MPI, no oracle but
// arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <vector>

#include "alltoall/irregular_bruck.hpp"
#include "alltoall/irregular_rounds.hpp"
#include "alltoall/irregular_space.hpp"
#include "base/status.hpp"

namespace gapless::alltoall::irregular {
namespace {

using Bytes = std::vector<unsigned char>;

unsigned char content(int from, int to, std::int64_t at) {
  return static_cast<unsigned char>((from * 31 + to * 17 + at * 7 + from * to) % 251);
}

// bytes[i][r]: of the block that process i has for process r.
using Table = std::vector<std::vector<std::int64_t>>;

Table random_table(int p, std::int64_t largest, std::mt19937& random) {
  Table table(static_cast<std::size_t>(p), std::vector<std::int64_t>(static_cast<std::size_t>(p)));
  std::uniform_int_distribution<std::int64_t> size(0, largest);
  for (auto& row : table)
    for (auto& bytes : row) bytes = random() % 3 == 0 ? 0 : size(random);
  return table;
}

std::vector<Sizes> exchanged(const Table& table) {
  const int p = static_cast<int>(table.size());
  std::vector<Sizes> sizes;
  for (int i = 0; i < p; ++i) sizes.emplace_back(i, table[static_cast<std::size_t>(i)]);
  for (int k = 0; k < round_count(p); ++k) {
    std::vector<std::vector<std::int64_t>> sent;
    for (Sizes& of : sizes) {
      const auto out = of.outgoing(k);
      sent.emplace_back(out.begin(), out.end());
    }
    for (int i = 0; i < p; ++i)
      sizes[static_cast<std::size_t>(i)].arrived(k, sent[static_cast<std::size_t>(behind(i, 1 << k, p))]);
  }
  return sizes;
}

struct Process {
  std::vector<Bytes> send, receive;  // by peer
  Bytes held;
  unsigned char* at(const Piece& piece) {
    if (piece.place == Piece::Place::kHeld) return held.data() + piece.offset;
    auto& blocks = piece.place == Piece::Place::kSent ? send : receive;
    EXPECT_EQ(piece.bytes, static_cast<std::int64_t>(blocks[static_cast<std::size_t>(piece.peer)].size()));
    return blocks[static_cast<std::size_t>(piece.peer)].data();
  }
};

// A round's message is read after everything that arrives in this round was overwritten by other bytes: what would have
// to lie in one place twice is found out.
void run(const Table& table) {
  const int p = static_cast<int>(table.size());
  const std::vector<Sizes> sizes = exchanged(table);
  std::vector<Schedule> schedules;
  std::vector<Process> processes(static_cast<std::size_t>(p));
  for (int i = 0; i < p; ++i) {
    Process& mine = processes[static_cast<std::size_t>(i)];
    schedules.push_back(bruck(sizes[static_cast<std::size_t>(i)]));
    mine.held.assign(static_cast<std::size_t>(schedules.back().held_bytes), 0);
    for (int r = 0; r < p; ++r) {
      const std::int64_t bytes = table[static_cast<std::size_t>(i)][static_cast<std::size_t>(r)];
      Bytes block(static_cast<std::size_t>(bytes));
      for (std::int64_t at = 0; at < bytes; ++at) block[static_cast<std::size_t>(at)] = content(i, r, at);
      mine.send.push_back(block);
      mine.receive.emplace_back(
          static_cast<std::size_t>(table[static_cast<std::size_t>(r)][static_cast<std::size_t>(i)]), 0);
    }
  }
  std::int64_t moved = 0;
  for (int k = 0; k < round_count(p); ++k) {
    std::vector<Bytes> messages(static_cast<std::size_t>(p));
    for (int i = 0; i < p; ++i) {
      Process& mine = processes[static_cast<std::size_t>(i)];
      const Schedule& schedule = schedules[static_cast<std::size_t>(i)];
      const Round& round = schedule.rounds[static_cast<std::size_t>(k)];
      for (const Piece& piece : schedule.in(round))
        std::memset(mine.at(piece), 0xee, static_cast<std::size_t>(piece.bytes));
      Bytes& message = messages[static_cast<std::size_t>(round.to)];
      for (const Piece& piece : schedule.out(round)) {
        ASSERT_GT(piece.bytes, 0);
        message.insert(message.end(), mine.at(piece), mine.at(piece) + piece.bytes);
      }
      ASSERT_EQ(round.out_bytes, static_cast<std::int64_t>(message.size()));
    }
    for (int i = 0; i < p; ++i) {
      Process& mine = processes[static_cast<std::size_t>(i)];
      const Schedule& schedule = schedules[static_cast<std::size_t>(i)];
      const Round& round = schedule.rounds[static_cast<std::size_t>(k)];
      ASSERT_EQ(schedules[static_cast<std::size_t>(round.from)].rounds[static_cast<std::size_t>(k)].to, i);
      const Bytes& message = messages[static_cast<std::size_t>(i)];
      ASSERT_EQ(round.in_bytes, static_cast<std::int64_t>(message.size()));
      const unsigned char* from = message.data();
      for (const Piece& piece : schedule.in(round)) {
        ASSERT_GT(piece.bytes, 0);
        std::memcpy(mine.at(piece), from, static_cast<std::size_t>(piece.bytes));
        from += piece.bytes;
      }
      ASSERT_EQ(from, message.data() + message.size());
      moved += round.in_bytes;
    }
  }
  std::int64_t hops = 0;  // each block takes as many rounds as its distance has bits
  for (int i = 0; i < p; ++i)
    for (int r = 0; r < p; ++r) {
      hops += std::popcount(static_cast<unsigned>(before(i, r, p))) *
              table[static_cast<std::size_t>(i)][static_cast<std::size_t>(r)];
      if (i == r) continue;
      EXPECT_EQ(sizes[static_cast<std::size_t>(i)].from(r),
                table[static_cast<std::size_t>(r)][static_cast<std::size_t>(i)]);
      const Bytes& block = processes[static_cast<std::size_t>(i)].receive[static_cast<std::size_t>(r)];
      for (std::size_t at = 0; at < block.size(); ++at)
        ASSERT_EQ(block[at], content(r, i, static_cast<std::int64_t>(at))) << "process " << i << " from " << r;
    }
  EXPECT_EQ(moved, hops);
}

TEST(IrregularAlltoall, every_block_arrives) {
  std::mt19937 random(1);
  for (int p = 1; p <= 40; ++p)
    for (const std::int64_t largest : {0, 1, 5, 90}) run(random_table(p, largest, random));
  for (const int p : {63, 64, 65, 100, 127, 128, 255}) run(random_table(p, 20, random));
}

// All blocks of one byte: what is held are slots. The figures of 64, 256 and 1024 are known.
TEST(IrregularAlltoall, the_slots_are_counted_and_fewer_than_three_halves_of_p) {
  for (int p = 1; p <= 1024; ++p) {
    const std::int64_t slots = held_blocks(p);
    ASSERT_LT(2 * slots, 3 * p) << p;
    if (p > 130 && p % 97 != 0 && p != 256 && p != 1024) continue;
    const std::vector<std::int64_t> own(static_cast<std::size_t>(p), 1);
    Sizes sizes(0, own);
    for (int k = 0; k < sizes.rounds(); ++k) {
      const auto out = sizes.outgoing(k);
      sizes.arrived(k, std::vector<std::int64_t>(out.begin(), out.end()));
    }
    ASSERT_EQ(bruck(sizes).held_bytes, slots) << p;
  }
  EXPECT_EQ(held_blocks(64), 73);
  EXPECT_EQ(held_blocks(256), 337);
  EXPECT_EQ(held_blocks(1024), 1441);
}

TEST(IrregularAlltoall, what_is_held_is_at_most_so_many_of_the_largest_blocks) {
  std::mt19937 random(2);
  for (const int p : {2, 3, 5, 8, 13, 32, 64, 100}) {
    for (const Sizes& sizes : exchanged(random_table(p, 1000, random)))
      EXPECT_LE(bruck(sizes).held_bytes, held_blocks(p) * 1000);
  }
}

// Pieces are what splitting costs: a block is cut where a run of blocks crosses from one gap to the next, and that is
// rarely so.
TEST(IrregularAlltoall, few_blocks_are_cut) {
  std::mt19937 random(3);
  for (const int p : {16, 33, 64, 128}) {
    std::int64_t pieces = 0, blocks = 0;
    for (const Sizes& sizes : exchanged(random_table(p, 1000, random))) {
      const Schedule schedule = bruck(sizes);
      for (const Round& round : schedule.rounds) pieces += static_cast<std::int64_t>(schedule.in(round).size());
      for (int k = 0; k < sizes.rounds(); ++k) blocks += moved_count(p, k);
    }
    EXPECT_LT(pieces, blocks) << p;
  }
}

TEST(IrregularAlltoall, sizes_that_cannot_be_are_refused) {
  const std::vector<std::int64_t> own(4, INT64_MAX / 2);
  Sizes sizes(0, own);
  EXPECT_NO_THROW(sizes.outgoing(0));
  EXPECT_THROW(sizes.arrived(0, std::vector<std::int64_t>{1, -1}), base::Error);
  EXPECT_THROW(sizes.arrived(0, std::vector<std::int64_t>{INT64_MAX, 1}), base::Error);
  EXPECT_NO_THROW(sizes.arrived(0, std::vector<std::int64_t>{INT64_MAX, 0}));
}

// Each block that lies in place is read in its first round, and what arrives there comes in another one or was put
// aside.
TEST(IrregularAlltoall, in_place_a_block_is_put_aside_before_it_is_overwritten) {
  for (int p = 2; p <= 300; ++p) {
    int aside = 0;
    for (int j = 1; j < p; ++j) {
      int sent = -1, arrives = -1;
      for (int k = 0; k < round_count(p); ++k) {
        if (j >> k & 1 && sent < 0) sent = k;
        if ((p - j) >> k & 1) arrives = k;
      }
      EXPECT_EQ(is_overwritten(j, p), arrives <= sent) << p << ' ' << j;
      aside += is_overwritten(j, p) ? 1 : 0;
    }
    EXPECT_LE(aside, round_count(p)) << p;
  }
}

TEST(IrregularAlltoall, each_pair_meets_once) {
  for (int p = 1; p <= 20; ++p) {
    std::set<std::pair<int, int>> met;
    for (int round = 0; round < p; ++round)
      for (int i = 0; i < p; ++i) {
        const int other = partner(i, round, p);
        EXPECT_EQ(partner(other, round, p), i);
        EXPECT_TRUE(met.emplace(i, other).second);
      }
    EXPECT_EQ(met.size(), static_cast<std::size_t>(p) * static_cast<std::size_t>(p));
  }
}

// Random taking and giving up to the last byte: every byte belongs to one owner, and what was asked for is always had.
TEST(IrregularAlltoall, all_that_is_free_can_be_taken) {
  std::mt19937 random(4);
  for (int time = 0; time < 200; ++time) {
    constexpr std::int64_t kBytes = 300;
    Space space(kBytes);
    std::vector<int> owner(kBytes, 0);
    std::vector<std::vector<Extent>> taken;
    for (int step = 1; step < 100; ++step) {
      if (random() % 2 == 0 && !taken.empty()) {
        std::swap(taken[random() % taken.size()], taken.back());
        for (const Extent& extent : taken.back()) {
          std::fill_n(owner.begin() + extent.offset, extent.bytes, 0);
          space.give(extent);
        }
        taken.pop_back();
      } else if (space.free_bytes() > 0) {
        std::int64_t bytes = 1 + static_cast<std::int64_t>(random()) % space.free_bytes();
        std::vector<Extent> extents;
        space.take(bytes, extents);
        for (const Extent& extent : extents) {
          bytes -= extent.bytes;
          for (std::int64_t at = extent.offset; at < extent.offset + extent.bytes; ++at)
            ASSERT_EQ(std::exchange(owner[static_cast<std::size_t>(at)], step), 0);
        }
        ASSERT_EQ(bytes, 0);
        taken.push_back(extents);
      }
      ASSERT_EQ(space.free_bytes(), std::count(owner.begin(), owner.end(), 0));
    }
  }
}

}  // namespace
}  // namespace gapless::alltoall::irregular

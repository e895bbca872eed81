// Peers that are killed or stopped, at all points of a message: who waits for them is told, and the others go on.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "channel/team.hpp"

namespace gapless::test {
namespace {

// Rank 0 is killed, rank 1 talks to it, rank 2 to rank 1 meanwhile.
constexpr int kVictim = 0, kSurvivor = 1, kOther = 2;
constexpr int kIsThere = 1, kIsKilled = 2;

// What rank 1 and rank 2 still have to say to each other. Not on shm: libfabric ends operations in the order in which
// they began, so those with others wait for ever behind a write that the dead have not taken in (ofiwg/libfabric#9853).
void talk(const ChannelHandle& channel, int rank) {
  const Made pieces("hvector(20000, 10, 30, byte)"), byte("byte");
  const int peer = rank == kSurvivor ? kOther : kSurvivor;
  for (int time = 0; time < 2; ++time) {
    const Memory from = filled(600'000, static_cast<std::uint64_t>(rank));
    Memory to(600'000, 'x');
    GAPLESS_Transfer in = receive(channel, to.data(), 1, pieces, peer),
                     out = send(channel, from.data(), 1, pieces, peer);
    wait(channel, in, 0, 20);
    wait(channel, out, 0, 20);
    const Memory sent = filled(600'000, static_cast<std::uint64_t>(peer));
    for (std::size_t k = 0; k < to.size(); ++k) claim(to[k] == (k % 30 < 10 ? sent[k] : 'x'), "the others' data");
  }
}

struct Point {
  const char* provider;
  const char* way;
  bool victim_sends;
  int steps;  // how often the victim looks before it stops and is killed
  bool others_go_on() const { return std::string(provider) != "shm"; }
};

void PrintTo(const Point& point, std::ostream* out) {
  *out << point.provider << "_" << point.way << (point.victim_sends ? "_sender_" : "_receiver_") << point.steps;
}

void kill_at(const Point& point) {
  const Job job;
  const int messages = 3;
  Team team(3, [&](int rank, Board& board) {
    ChannelHandle channel = job.open(rank, 3, point.provider, point.way);
    const Made pieces("hvector(100000, 30, 50, byte)");
    Memory memory = filled(5'000'000, 1);
    std::vector<GAPLESS_Transfer> all;
    const auto talk_on = [&] {
      if (point.others_go_on()) talk(channel, rank);
    };
    if (rank == kOther) {
      talk_on();
      board.await(kIsKilled);
      talk_on();
      close(channel);
      return;
    }
    for (int k = 0; k < messages; ++k)
      all.push_back((rank == kVictim) == point.victim_sends ? send(channel, memory.data(), 1, pieces, 1 - rank)
                                                            : receive(channel, memory.data(), 1, pieces, 1 - rank));
    if (rank == kVictim) {
      for (int step = 0; step < point.steps; ++step) {
        GAPLESS_Channel_wait(channel.get(), all.data(), 0, nullptr);
        if (all[0] == nullptr) break;
      }
      board.tell(kIsThere);
      for (;;) pause();
    }
    talk_on();
    while (!board.is_told(kIsKilled))
      for (GAPLESS_Transfer& one : all)
        if (one != nullptr) GAPLESS_Channel_wait(channel.get(), &one, 0, nullptr);
    const double begin = seconds();
    bool is_told = false;
    for (GAPLESS_Transfer& one : all) {
      if (one == nullptr) continue;
      const int status = GAPLESS_Channel_wait(channel.get(), &one, 10, nullptr);
      claim(status == 0 || status == GAPLESS_CHANNEL_ERR_PEER,
            "a wait for the dead ended with " + std::to_string(status) + ": " + error_text());
      is_told |= status != 0;
    }
    claim(seconds() - begin < 3, "it was told too late: " + std::to_string(seconds() - begin) + " s");
    GAPLESS_Transfer late = receive(channel, memory.data(), 1, pieces, kVictim);
    const int status = GAPLESS_Channel_wait(channel.get(), &late, 5, nullptr);
    claim(status == GAPLESS_CHANNEL_ERR_PEER, "a late receive ended with " + std::to_string(status));
    late = send(channel, memory.data(), 1, pieces, kVictim);
    wait(channel, late, GAPLESS_CHANNEL_ERR_PEER, 5);
    // Nothing is written to memory that is free again.
    const Memory then = memory;
    talk_on();
    claim(memory == then, "memory was written after its transfer had failed");
    close(channel);
  });
  try {
    team.board().await(kIsThere);
  } catch (const std::exception& error) {
    FAIL() << error.what();
  }
  usleep(20'000);
  team.end(kVictim);
  team.board().tell(kIsKilled);
  EXPECT_TRUE(team.is_good(kSurvivor));
  EXPECT_TRUE(team.is_good(kOther));
}

class Killed : public testing::TestWithParam<Point> {};
TEST_P(Killed, OthersAreToldAndGoOn) {
  kill_at(GetParam());
}

// 0 steps: before it has looked, so a request has no answer; some: in the middle of the data, of which a look moves a
// part each.
INSTANTIATE_TEST_SUITE_P(Tcp, Killed,
                         testing::Values(Point{"tcp", "host", true, 0}, Point{"tcp", "host", true, 40},
                                         Point{"tcp", "host", true, 400}, Point{"tcp", "host", false, 0},
                                         Point{"tcp", "host", false, 40}, Point{"tcp", "host", false, 400},
                                         Point{"tcp", "lists", true, 40}, Point{"tcp", "lists", false, 40},
                                         Point{"tcp", "lists", true, 400}, Point{"tcp", "segments", true, 40},
                                         Point{"tcp", "segments", false, 40}, Point{"tcp", "segments", false, 400}),
                         testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Shm, Killed,
                         testing::Values(Point{"shm", "host", true, 40}, Point{"shm", "host", false, 40},
                                         Point{"shm", "lists", true, 40}, Point{"shm", "segments", false, 40}),
                         testing::PrintToStringParamName());

TEST(Ended, WhileNothingIsUnderWay) {
  const Job job;
  Team team(2, [&](int rank, Board& board) {
    ChannelHandle channel = job.open(rank, 2);
    const Made byte("byte");
    char hello = 'x';
    GAPLESS_Transfer one = rank == 0 ? send(channel, &hello, 1, byte, 1) : receive(channel, &hello, 1, byte, 0);
    wait(channel, one);
    if (rank == kVictim) {
      board.tell(kIsThere);
      for (;;) pause();
    }
    board.await(kIsKilled);
    const double begin = seconds();
    one = receive(channel, &hello, 1, byte, 0);
    wait(channel, one, GAPLESS_CHANNEL_ERR_PEER, 10);
    claim_text("rank 0");
    claim(seconds() - begin < 2, "it was told too late");
    close(channel);
    claim(seconds() - begin < 2, "who closes does not wait for the dead");
  });
  team.board().await(kIsThere);
  team.end(kVictim);
  team.board().tell(kIsKilled);
  EXPECT_TRUE(team.is_good(kSurvivor));
}

// It has never spoken to the survivor.
TEST(Ended, BeforeTheFirstMessage) {
  const Job job;
  Team team(2, [&](int rank, Board& board) {
    ChannelHandle channel = job.open(rank, 2);
    if (rank == kVictim) {
      board.tell(kIsThere);
      for (;;) pause();
    }
    board.await(kIsKilled);
    const Made byte("byte");
    const Memory from = filled(100'000, 1);
    Memory to(100);
    GAPLESS_Transfer in = receive(channel, to.data(), 100, byte, 0), out = send(channel, from.data(), 100'000, byte, 0);
    GAPLESS_Transfer eager = send(channel, from.data(), 100, byte, 0);
    wait(channel, in, GAPLESS_CHANNEL_ERR_PEER, 10);
    wait(channel, out, GAPLESS_CHANNEL_ERR_PEER, 10);
    wait(channel, eager, GAPLESS_CHANNEL_ERR_PEER, 10);
    close(channel);
  });
  team.board().await(kIsThere);
  team.end(kVictim);
  team.board().tell(kIsKilled);
  EXPECT_TRUE(team.is_good(kSurvivor));
}

TEST(Ended, EagerMessagesThatHaveComeAreReceivedStill) {
  const Job job;
  Team team(2, [&](int rank, Board& board) {
    ChannelHandle channel = job.open(rank, 2);
    const Made byte("byte");
    const Memory from = filled(8000, 1);
    if (rank == kVictim) {
      std::vector<GAPLESS_Transfer> out;
      for (int k = 0; k < 10; ++k) out.push_back(send(channel, from.data(), 8000, byte, 1));
      for (GAPLESS_Transfer& one : out) wait(channel, one);
      const Memory large = filled(100'000, 1);
      GAPLESS_Transfer last = send(channel, large.data(), 100'000, byte, 1);
      wait(channel, last, GAPLESS_CHANNEL_ERR_TIMEOUT, 0.05);
      board.tell(kIsThere);
      for (;;) pause();
    }
    std::vector<char> to(100'000);
    GAPLESS_Transfer one = receive(channel, to.data(), 8000, byte, 0);
    claim(wait(channel, one) == 8000, "the first one");
    board.await(kIsKilled);
    for (int k = 1; k < 10; ++k) {
      one = receive(channel, to.data(), 8000, byte, 0);
      claim(wait(channel, one, 0, 10) == 8000, "what had come is there");
    }
    // Its request has come, too, and its data will not.
    const double begin = seconds();
    one = receive(channel, to.data(), 100'000, byte, 0);
    wait(channel, one, GAPLESS_CHANNEL_ERR_PEER, 10);
    one = receive(channel, to.data(), 100'000, byte, 0);
    wait(channel, one, GAPLESS_CHANNEL_ERR_PEER, 10);
    claim(seconds() - begin < 3, "it was told too late");
    close(channel);
  });
  team.board().await(kIsThere);
  team.end(kVictim);
  team.board().tell(kIsKilled);
  EXPECT_TRUE(team.is_good(kSurvivor));
}

// The dead have all targets; who waits for one behind them gets it, though nobody waits for the dead.
TEST(Ended, WhoHasTheTargets) {
  setenv("GAPLESS_FABRIC_TARGETS", "2", 1);
  const Job job;
  Team team(3, [&](int rank, Board& board) {
    ChannelHandle channel = job.open(rank, 3, "tcp", "host");
    const Made byte("byte");
    const Memory from = filled(10'000'000, 1);
    std::vector<Memory> to(3, Memory(10'000'000));
    if (rank == kVictim) {
      GAPLESS_Transfer one = send(channel, from.data(), 10'000'000, byte, 1),
                       two = send(channel, from.data(), 10'000'000, byte, 1);
      wait(channel, one, GAPLESS_CHANNEL_ERR_TIMEOUT, 0);
      wait(channel, two, GAPLESS_CHANNEL_ERR_TIMEOUT, 0);
      board.tell(kIsThere);
      for (;;) pause();
    }
    if (rank == kOther) {
      board.await(kIsKilled);
      GAPLESS_Transfer one = send(channel, from.data(), 10'000'000, byte, 1);
      wait(channel, one, 0, 20);
      close(channel);
      return;
    }
    board.await(kIsThere);
    GAPLESS_Transfer one = receive(channel, to[0].data(), 10'000'000, byte, 0);
    GAPLESS_Transfer two = receive(channel, to[1].data(), 10'000'000, byte, 0);
    for (const double until = seconds() + 0.2; seconds() < until;) {
      wait(channel, one, GAPLESS_CHANNEL_ERR_TIMEOUT, 0);
      wait(channel, two, GAPLESS_CHANNEL_ERR_TIMEOUT, 0);
    }
    board.tell(4);
    board.await(kIsKilled);
    GAPLESS_Transfer third = receive(channel, to[2].data(), 10'000'000, byte, 2);
    claim(wait(channel, third, 0, 10) == 10'000'000 && to[2] == from, "the message of who lives");
    wait(channel, one, GAPLESS_CHANNEL_ERR_PEER, 10);
    wait(channel, two, GAPLESS_CHANNEL_ERR_PEER, 10);
    close(channel);
  });
  unsetenv("GAPLESS_FABRIC_TARGETS");
  team.board().await(4);
  team.end(kVictim);
  team.board().tell(kIsKilled);
  EXPECT_TRUE(team.is_good(kSurvivor));
  EXPECT_TRUE(team.is_good(kOther));
}

// A process that is stopped has not ended: its messages go on when it does.
TEST(Stopped, GoesOn) {
  for (const char* way : {"host", "lists", "segments"}) {
    SCOPED_TRACE(way);
    const Job job;
    Team team(2, [&](int rank, Board& board) {
      ChannelHandle channel = job.open(rank, 2, "tcp", way);
      const Made pieces("hvector(300000, 30, 50, byte)"), byte("byte");
      Memory memory = rank == 0 ? filled(15'000'000, 1) : Memory(15'000'000, 'x');
      GAPLESS_Transfer one =
          rank == 0 ? send(channel, memory.data(), 1, pieces, 1) : receive(channel, memory.data(), 1, pieces, 0);
      if (rank == 0) {
        for (int k = 0; k < 30 && one != nullptr; ++k) GAPLESS_Channel_wait(channel.get(), &one, 0, nullptr);
        board.tell(kIsThere);
        board.await(5);
        if (one != nullptr) wait(channel, one, 0, 30);
      } else {
        board.await(4);
        wait(channel, one, GAPLESS_CHANNEL_ERR_TIMEOUT, 0.3);
        board.tell(6);
        claim(wait(channel, one, 0, 30) == 9'000'000, "bytes");
        const Memory sent = filled(15'000'000, 1);
        for (std::size_t k = 0; k < memory.size(); ++k) claim(memory[k] == (k % 50 < 30 ? sent[k] : 'x'), "the data");
      }
      close(channel);
    });
    team.board().await(kIsThere);
    team.send(0, SIGSTOP);
    team.board().tell(4);
    team.board().await(6);
    team.send(0, SIGCONT);
    team.board().tell(5);
    EXPECT_TRUE(team.all_good());
  }
}

}  // namespace
}  // namespace gapless::test

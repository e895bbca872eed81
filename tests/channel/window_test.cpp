// Messages that are sent before anybody receives them, and channels that close meanwhile.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "channel/team.hpp"

namespace gapless::test {
namespace {

TEST(Window, ManyMessagesBeforeTheirReceives) {
  for (const char* provider : {"tcp", "shm"}) {
    const Job job;
    Team team(2, [&](int rank, Board& board) {
      ChannelHandle channel = job.open(rank, 2, provider);
      const Made byte("byte");
      std::vector<Memory> from, to;
      std::vector<GAPLESS_Transfer> out, in;
      const auto length = [](std::size_t k) { return static_cast<std::int64_t>(k % 10 == 3 ? 50'000 + k : 100 + k); };
      for (std::size_t k = 0; k < 150; ++k) {
        from.push_back(filled(static_cast<std::size_t>(length(k)), 200 * static_cast<std::size_t>(rank) + k));
        out.push_back(send(channel, from[k].data(), length(k), byte, 1 - rank));
      }
      // 32 at most are on their way.
      wait(channel, out[149], GAPLESS_CHANNEL_ERR_TIMEOUT, 0.1);
      claim(count(channel).eager <= 32,
            "more went than the window lets through: " + std::to_string(count(channel).eager));
      board.tell(rank);
      // From then on the other one may receive them.
      while (!board.is_told(1 - rank))
        if (out[149] != nullptr) GAPLESS_Channel_wait(channel.get(), &out[149], 0.01, nullptr);
      for (std::size_t k = 0; k < 150; ++k) {
        to.push_back(Memory(51'000));
        in.push_back(receive(channel, to[k].data(), 51'000, byte, 1 - rank));
      }
      for (std::size_t k = 150; k-- > 0;) claim(wait(channel, in[k]) == length(k), "the order");
      for (GAPLESS_Transfer& one : out)
        if (one != nullptr) wait(channel, one);
      for (std::size_t k = 0; k < 150; ++k) {
        to[k].resize(static_cast<std::size_t>(length(k)));
        claim(to[k] == filled(to[k].size(), 200 * static_cast<std::size_t>(1 - rank) + k), "the data");
      }
      claim(count(channel).frames_refused == 0, "frames were refused");
      close(channel);
    });
    EXPECT_TRUE(team.all_good());
  }
}

TEST(Window, MoreMessagesThanTargets) {
  for (const char* way : {"host", "lists", "segments"}) {
    SCOPED_TRACE(way);
    const Job job;
    Team team(3, [&](int rank, Board&) {
      ChannelHandle channel = job.open(rank, 3, "tcp", way);
      const Made pieces("hvector(1000, 30, 50, byte)");
      std::vector<GAPLESS_Transfer> all;
      std::vector<Memory> memory;
      memory.reserve(60);
      for (int k = 0; k < 30; ++k) {
        for (int peer = 0; peer < 2; ++peer) {
          if (rank == 2) {
            memory.push_back(Memory(50'000, 'x'));
            all.push_back(receive(channel, memory.back().data(), 1, pieces, peer));
          } else if (peer == 0) {
            memory.push_back(filled(50'000, static_cast<std::uint64_t>(rank * 100 + k)));
            all.push_back(send(channel, memory.back().data(), 1, pieces, 2));
          }
        }
      }
      for (GAPLESS_Transfer& one : all) claim(wait(channel, one) == 30'000, "bytes");
      if (rank == 2) {
        claim(count(channel).queued > 0, "none waited for a target");
        for (std::size_t m = 0; m < memory.size(); ++m) {
          const Memory sent = filled(50'000, m % 2 * 100 + m / 2);
          for (std::size_t k = 0; k < 50'000; ++k) claim(memory[m][k] == (k % 50 < 30 ? sent[k] : 'x'), "the data");
        }
      }
      close(channel);
    });
    EXPECT_TRUE(team.all_good());
  }
}

TEST(Close, AfterMessagesThatAreNotReceivedYet) {
  for (const char* provider : {"tcp", "shm"}) {
    const Job job;
    Team team(2, [&](int rank, Board& board) {
      ChannelHandle channel = job.open(rank, 2, provider);
      const Made byte("byte");
      // They have a connection: to make one takes both sides.
      char hello = 0;
      GAPLESS_Transfer first = rank == 0 ? send(channel, &hello, 1, byte, 1) : receive(channel, &hello, 1, byte, 0);
      wait(channel, first);
      if (rank == 0) {
        // No more than a socket takes in while nobody reads it.
        std::vector<GAPLESS_Transfer> out;
        const Memory from = filled(2000, 1);
        for (int k = 0; k < 20; ++k) out.push_back(send(channel, from.data(), 2000, byte, 1));
        for (GAPLESS_Transfer& one : out) wait(channel, one);
        board.tell(1);
        close(channel);
        board.tell(2);
      } else {
        board.await(1);
        usleep(100'000);
        claim(!board.is_told(2), "who closes waits for the other");
        for (int k = 0; k < 20; ++k) {
          Memory to(2000);
          GAPLESS_Transfer one = receive(channel, to.data(), 2000, byte, 0);
          claim(wait(channel, one) == 2000 && to == filled(2000, 1),
                "what was sent before the goodbye comes before it");
        }
        char more;
        GAPLESS_Transfer one = receive(channel, &more, 1, byte, 0);
        wait(channel, one, GAPLESS_CHANNEL_ERR_PEER, 5);
        claim_text("closed");
        one = receive(channel, &more, 1, byte, 0);
        wait(channel, one, GAPLESS_CHANNEL_ERR_PEER, 5);
        one = send(channel, &more, 1, byte, 0);
        wait(channel, one, GAPLESS_CHANNEL_ERR_PEER, 5);
        claim_text("has ended or closed its channel");
        close(channel);
      }
    });
    EXPECT_TRUE(team.all_good());
  }
}

// Who closes receives nothing any more: those that send to it are told, and not only when its time is over.
TEST(Close, WhileOthersSend) {
  const Job job;
  Team team(2, [&](int rank, Board& board) {
    ChannelHandle channel = job.open(rank, 2);
    const Made byte("byte");
    char hello = 0;
    GAPLESS_Transfer first = rank == 0 ? send(channel, &hello, 1, byte, 1) : receive(channel, &hello, 1, byte, 0);
    wait(channel, first);
    const double begin = seconds();
    if (rank == 0) {
      const Memory from = filled(100'000, 1);
      std::vector<GAPLESS_Transfer> out;
      for (int k = 0; k < 50; ++k) out.push_back(send(channel, from.data(), 100'000, byte, 1));
      board.tell(1);
      for (GAPLESS_Transfer& one : out) wait(channel, one, GAPLESS_CHANNEL_ERR_PEER, 10);
      claim_text("rank 1 has closed its channel");
    } else {
      board.await(1);
    }
    claim(seconds() - begin < 8, "it was told too late");
    close(channel);
  });
  EXPECT_TRUE(team.all_good());
}

TEST(Close, TransfersThatNobodyWaitsFor) {
  for (const char* way : {"host", "lists", "segments"}) {
    const Job job;
    Team team(2, [&](int rank, Board&) {
      ChannelHandle channel = job.open(rank, 2, "tcp", way);
      const Made pieces("hvector(10000, 30, 50, byte)");
      Memory memory = filled(500'000, 1);
      GAPLESS_Transfer one = nullptr;
      for (int k = 0; k < 5; ++k)
        one = rank == 0 ? send(channel, memory.data(), 1, pieces, 1) : receive(channel, memory.data(), 1, pieces, 0);
      (void)one;
      close(channel);
    });
    EXPECT_TRUE(team.all_good());
  }
}

TEST(Close, InTime) {
  const Job job;
  Team team(2, [&](int rank, Board& board) {
    GAPLESS_Channel_options options = job.options(rank, 2, "tcp", "adaptive");
    options.timeout_s = 2;
    GAPLESS_Channel opened = nullptr;
    expect(GAPLESS_Channel_open(&options, &opened), 0, "open");
    ChannelHandle channel(opened);
    const Made byte("byte");
    char hello = 0;
    GAPLESS_Transfer first = rank == 0 ? send(channel, &hello, 1, byte, 1) : receive(channel, &hello, 1, byte, 0);
    wait(channel, first);
    if (rank == 0) {
      const double begin = seconds();
      close(channel, GAPLESS_CHANNEL_ERR_TIMEOUT);
      claim(seconds() - begin >= 1.9 && seconds() - begin < 10, "in the channel's time");
      board.tell(1);
    } else {
      board.await(1);
      GAPLESS_Transfer one = receive(channel, &hello, 1, byte, 0);
      wait(channel, one, GAPLESS_CHANNEL_ERR_PEER, 5);
      close(channel);
    }
  });
  EXPECT_TRUE(team.all_good());
}

TEST(Close, WhoWasNeverTalkedToIsNotWaitedFor) {
  const Job job;
  Team team(3, [&](int rank, Board& board) {
    ChannelHandle channel = job.open(rank, 3);
    if (rank == 2) board.await(1);
    const double begin = seconds();
    close(channel);
    claim(seconds() - begin < 5, "it waited");
    if (rank == 0) board.tell(1);
  });
  EXPECT_TRUE(team.all_good());
}

}  // namespace
}  // namespace gapless::test

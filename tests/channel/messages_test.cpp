// Messages between real processes: of all lengths, too long ones, to oneself, between many.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <string>
#include <vector>

#include "channel/team.hpp"

namespace gapless::test {
namespace {

const char* const kWays[] = {"host", "lists", "segments", "adaptive"};
const char* const kProviders[] = {"tcp", "shm"};

TEST(Message, TooLongAndEager) {
  const Job job;
  Team team(2, [&](int rank, Board&) {
    ChannelHandle channel = job.open(rank, 2);
    const Made byte("byte");
    if (rank == 0) {
      const Memory from = filled(20, 1);
      GAPLESS_Transfer one = send(channel, from.data(), 20, byte, 1), two = send(channel, from.data(), 7, byte, 1);
      wait(channel, one);  // an eager message is gone, and its sender not told
      wait(channel, two);
    } else {
      Memory to(30, 'x');
      GAPLESS_Transfer one = receive(channel, to.data(), 19, byte, 0);
      wait(channel, one, GAPLESS_CHANNEL_ERR_TRUNCATE);
      claim_text("rank 0 sends 20 bytes, and there is room for 19");
      claim(to == Memory(30, 'x'), "nothing is written of a message that is too long");
      one = receive(channel, to.data(), 19, byte, 0);
      claim(wait(channel, one) == 7, "the next message is another");
      claim(std::equal(to.begin(), to.begin() + 7, filled(20, 1).begin()), "its data");
      claim(to[7] == 'x', "no more than the message is written");
    }
    close(channel);
  });
  EXPECT_TRUE(team.all_good());
}

TEST(Message, TooLongAndAskedFor) {
  for (const char* way : kWays) {
    SCOPED_TRACE(way);
    const Job job;
    Team team(2, [&](int rank, Board&) {
      ChannelHandle channel = job.open(rank, 2, "tcp", way);
      const Made strided("hvector(10000, 10, 30, byte)"), byte("byte");
      for (int time = 0; time < 3; ++time) {
        if (rank == 0) {
          const Memory from = filled(300'000, 1);
          GAPLESS_Transfer one = send(channel, from.data(), 1, strided, 1);
          GAPLESS_Transfer two = send(channel, from.data(), 1, strided, 1);
          wait(channel, one, GAPLESS_CHANNEL_ERR_TRUNCATE);
          claim_text("rank 1 has room for 99999 bytes, and the message has 100000");
          claim(wait(channel, two) == 100'000, "the next one");
        } else {
          Memory to(100'000, 'x');
          GAPLESS_Transfer one = receive(channel, to.data(), 99'999, byte, 0);
          wait(channel, one, GAPLESS_CHANNEL_ERR_TRUNCATE);
          claim_text("rank 0 sends 100000 bytes, and there is room for 99999");
          claim(to == Memory(100'000, 'x'), "nothing is written");
          one = receive(channel, to.data(), 100'000, byte, 0);
          claim(wait(channel, one) == 100'000, "the next one");
          const Memory from = filled(300'000, 1);
          for (std::size_t k = 0; k < to.size(); ++k) claim(to[k] == from[k / 10 * 30 + k % 10], "its data");
        }
      }
      close(channel);
    });
    EXPECT_TRUE(team.all_good());
  }
}

TEST(Message, WaitsThatAreTooShort) {
  const Job job;
  Team team(2, [&](int rank, Board& board) {
    ChannelHandle channel = job.open(rank, 2);
    const Made byte("byte");
    if (rank == 0) {
      board.await(1);
      const Memory from = filled(1'000'000, 1);
      GAPLESS_Transfer one = send(channel, from.data(), 1'000'000, byte, 1);
      wait(channel, one, GAPLESS_CHANNEL_ERR_TIMEOUT, 0);
      wait(channel, one);
    } else {
      Memory to(1'000'000);
      GAPLESS_Transfer one = receive(channel, to.data(), 1'000'000, byte, 0);
      wait(channel, one, GAPLESS_CHANNEL_ERR_TIMEOUT, 0);
      claim_text("the transfer with rank 0 goes on");
      const double begin = seconds();
      wait(channel, one, GAPLESS_CHANNEL_ERR_TIMEOUT, 0.05);
      claim(seconds() - begin >= 0.05 && seconds() - begin < 5, "as long as was asked for");
      board.tell(1);
      while (GAPLESS_Channel_wait(channel.get(), &one, 0, nullptr) == GAPLESS_CHANNEL_ERR_TIMEOUT) {
      }
      claim(one == nullptr && to == filled(1'000'000, 1), "its data");
    }
    close(channel);
  });
  EXPECT_TRUE(team.all_good());
}

TEST(Message, ToOneself) {
  const Job job;
  Team team(1, [&](int, Board&) {
    GAPLESS_Channel_options options = job.options(0, 1, "tcp", "adaptive");
    options.meeting = nullptr;
    GAPLESS_Channel opened = nullptr;
    expect(GAPLESS_Channel_open(&options, &opened), 0, "open");
    ChannelHandle channel(opened);
    const Made strided("hvector(100000, 2, 5, byte)"), byte("byte"), column("resized(0, 7, byte)");
    const Memory from = filled(500'000, 3);
    Memory to(1'500'000, 'x');
    // The receive first, then the send, and the other way round; room for more, and for less.
    GAPLESS_Transfer in = receive(channel, to.data(), 200'000, column, 0);
    GAPLESS_Transfer out = send(channel, from.data(), 1, strided, 0);
    claim(wait(channel, out) == 200'000 && wait(channel, in) == 200'000, "bytes");
    for (std::size_t k = 0; k < to.size(); ++k)
      claim(to[k] == (k % 7 == 0 && k / 7 < 200'000 ? from[k / 7 / 2 * 5 + k / 7 % 2] : 'x'), "its data");
    to.assign(to.size(), 'x');
    out = send(channel, from.data(), 10, byte, 0);
    in = receive(channel, to.data(), 1000, column, 0);
    claim(wait(channel, in) == 10 && wait(channel, out) == 10, "a part of the room");
    for (std::size_t k = 0; k < to.size(); ++k) claim(to[k] == (k % 7 == 0 && k < 70 ? from[k / 7] : 'x'), "its data");
    out = send(channel, from.data(), 10, byte, 0);
    in = receive(channel, to.data(), 9, byte, 0);
    wait(channel, in, GAPLESS_CHANNEL_ERR_TRUNCATE);
    wait(channel, out, GAPLESS_CHANNEL_ERR_TRUNCATE);
    in = receive(channel, nullptr, 0, byte, 0);
    wait(channel, in, GAPLESS_CHANNEL_ERR_TIMEOUT, 0.01);
    out = send(channel, nullptr, 0, byte, 0);
    claim(wait(channel, in) == 0 && wait(channel, out) == 0, "no bytes");
    claim(count(channel).bytes == 0, "messages to oneself are not counted");
    // In their order.
    std::vector<GAPLESS_Transfer> outs, ins;
    for (int k = 0; k < 100; ++k) outs.push_back(send(channel, from.data() + k, 1, byte, 0));
    for (int k = 0; k < 100; ++k) ins.push_back(receive(channel, to.data() + k, 1, byte, 0));
    for (int k = 99; k >= 0; --k) wait(channel, ins[static_cast<std::size_t>(k)]);
    for (GAPLESS_Transfer& one : outs) wait(channel, one);
    claim(std::equal(from.begin(), from.begin() + 100, to.begin()), "the order");
    in = receive(channel, to.data(), 1, byte, 0);  // nobody waits for it
    close(channel);
  });
  EXPECT_TRUE(team.all_good());
}

TEST(Message, OfNoBytes) {
  for (const char* provider : kProviders) {
    const Job job;
    Team team(2, [&](int rank, Board&) {
      ChannelHandle channel = job.open(rank, 2, provider);
      const Made byte("byte"), empty("hvector(0, 1, 9, byte)");
      char there = 'x';
      GAPLESS_Transfer out = send(channel, nullptr, 0, byte, 1 - rank),
                       other = send(channel, nullptr, 5, empty, 1 - rank);
      GAPLESS_Transfer in = receive(channel, &there, 1, byte, 1 - rank),
                       last = receive(channel, nullptr, 0, byte, 1 - rank);
      claim(wait(channel, last) == 0 && wait(channel, in) == 0 && wait(channel, out) == 0 &&
                wait(channel, other) == 0 && there == 'x',
            "nothing is moved");
      close(channel);
    });
    EXPECT_TRUE(team.all_good());
  }
}

// Each sends to each, itself too, several layouts at a time.
void all_to_all(int processes, const char* provider, const char* way) {
  const Job job;
  Team team(processes, [&](int rank, Board&) {
    ChannelHandle channel = job.open(rank, processes, provider, way);
    const Made byte("byte"), strided("hvector(3000, 7, 20, byte)"), pieces("hindexed([9000, 12000], [13000, 0], byte)");
    for (int time = 0; time < 3; ++time) {
      std::vector<Memory> from, to;
      std::vector<GAPLESS_Transfer> all;
      for (int peer = 0; peer < processes; ++peer) {
        from.push_back(filled(60'000, static_cast<std::uint64_t>(rank * 100 + peer + time)));
        to.push_back(Memory(90'000, 'x'));
        all.push_back(receive(channel, to.back().data(), 1, pieces, peer));
        all.push_back(receive(channel, to.back().data() + 30'000, 1, strided, peer));
        all.push_back(send(channel, from.back().data(), 1, strided, peer));
        all.push_back(send(channel, from.back().data(), 21'000, byte, peer));
      }
      for (GAPLESS_Transfer& one : all) claim(wait(channel, one) == 21'000, "bytes");
      for (int peer = 0; peer < processes; ++peer) {
        const Memory sent = filled(60'000, static_cast<std::uint64_t>(peer * 100 + rank + time));
        Memory wanted(90'000, 'x');
        for (std::size_t k = 0; k < 21'000; ++k) {
          wanted[k < 9000 ? 13'000 + k : k - 9000] = sent[k / 7 * 20 + k % 7];
          wanted[30'000 + k / 7 * 20 + k % 7] = sent[k];
        }
        claim(to[static_cast<std::size_t>(peer)] == wanted, "the data of rank " + std::to_string(peer));
      }
    }
    claim(count(channel).frames_refused == 0, "frames were refused");
    claim(count(channel).endpoints == 1, "one endpoint for all");
    close(channel);
  });
  EXPECT_TRUE(team.all_good());
}
TEST(Message, BetweenThree) {
  for (const char* provider : kProviders)
    for (const char* way : kWays) all_to_all(3, provider, way);
}
TEST(Message, BetweenEight) {
  all_to_all(8, "tcp", "adaptive");
}
TEST(Message, BetweenEightBySharedMemory) {
  all_to_all(8, "shm", "lists");
}
TEST(Message, BetweenEightWithOneTarget) {
  setenv("GAPLESS_FABRIC_TARGETS", "1", 1);
  all_to_all(8, "tcp", "host");
  unsetenv("GAPLESS_FABRIC_TARGETS");
}

// The longest parts that may be set, and runs that make the longest chunks.
TEST(Message, OfLongParts) {
  setenv("GAPLESS_FABRIC_PART", "4M", 1);
  for (const char* way : kWays) {
    SCOPED_TRACE(way);
    const Job job;
    Team team(2, [&](int rank, Board&) {
      ChannelHandle channel = job.open(rank, 2, "tcp", way);
      const Made pieces("hindexed([9000000, 12000000], [13000000, 0], byte)");
      const Memory from = filled(22'000'000, 1);
      Memory to(22'000'000, 'x');
      for (int time = 0; time < 2; ++time) {
        GAPLESS_Transfer one =
            rank == 0 ? send(channel, from.data(), 1, pieces, 1) : receive(channel, to.data(), 1, pieces, 0);
        claim(wait(channel, one) == 21'000'000, "bytes");
      }
      if (rank == 1) {
        for (std::size_t k = 0; k < to.size(); ++k)
          claim(to[k] == (k < 12'000'000 || k >= 13'000'000 ? from[k] : 'x'), "its data");
      }
      close(channel);
    });
    EXPECT_TRUE(team.all_good());
  }
  unsetenv("GAPLESS_FABRIC_PART");
}

// A form that is longer than one that may be shown: its messages go by way of buffers.
TEST(Message, OfALayoutThatIsTooLongToShow) {
  std::string lengths, places;
  std::int64_t at = 0, total = 0;
  for (std::uint64_t k = 0; k < 700'000; ++k) {
    const std::int64_t length = 1 + data(9, k) % 5;
    lengths += (k > 0 ? ", " : "") + std::to_string(length);
    places += (k > 0 ? ", " : "") + std::to_string(at);
    at += length + 1 + data(7, k);
    total += length;
  }
  const Made pieces("hindexed([" + lengths + "], [" + places + "], byte)");
  std::size_t serialised = 0;
  std::vector<char> bytes(8 << 20);
  ASSERT_EQ(gapless_type_serialise(pieces, bytes.data(), bytes.size(), &serialised), GAPLESS_SUCCESS);
  ASSERT_GT(serialised, std::size_t{1} << 20);
  const Job job;
  Team team(2, [&](int rank, Board&) {
    ChannelHandle channel = job.open(rank, 2, "tcp", "lists");
    const Made byte("byte");
    const Memory from = filled(static_cast<std::size_t>(total), 1);
    Memory to(static_cast<std::size_t>(at) + 5, 'x');
    GAPLESS_Transfer one =
        rank == 0 ? send(channel, from.data(), total, byte, 1) : receive(channel, to.data(), 1, pieces, 0);
    claim(wait(channel, one) == total, "bytes");
    if (rank == 1) {
      Memory packed(static_cast<std::size_t>(total));
      std::int64_t moved = 0;
      claim(gapless_pack(to.data(), 1, pieces, 0, packed.data(), total, &moved) == GAPLESS_SUCCESS, "pack");
      claim(packed == from, "its data");
    }
    close(channel);
  });
  EXPECT_TRUE(team.all_good());
}

// More layouts than have numbers, each shown and forgotten again; one comes back.
TEST(Message, OfVeryManyLayouts) {
  const Job job;
  Team team(2, [&](int rank, Board&) {
    ChannelHandle channel = job.open(rank, 2, "tcp", "lists");
    const Made byte("byte");
    const Memory from = filled(10'000, 1);
    for (int turn = 0; turn < 700; ++turn) {
      const int gap = turn % 7 == 0 ? 1 : turn;
      const Made pieces("hvector(100, 100, " + std::to_string(101 + gap) + ", byte)");
      Memory to(100 * static_cast<std::size_t>(101 + gap), 'x');
      GAPLESS_Transfer one =
          rank == 0 ? send(channel, from.data(), 10'000, byte, 1) : receive(channel, to.data(), 1, pieces, 0);
      wait(channel, one);
      if (rank == 0) continue;
      for (std::size_t k = 0; k < to.size(); ++k) {
        const std::size_t block = k / static_cast<std::size_t>(101 + gap), in = k % static_cast<std::size_t>(101 + gap);
        claim(to[k] == (in < 100 ? from[block * 100 + in] : 'x'), "its data, turn " + std::to_string(turn));
      }
    }
    const GAPLESS_Channel_counters counted = count(channel);
    if (rank == 1) {
      claim(counted.layouts_shown == 600, "shown " + std::to_string(counted.layouts_shown));
      claim(counted.layouts_known == 100, "known " + std::to_string(counted.layouts_known));
    }
    close(channel);
  });
  EXPECT_TRUE(team.all_good());
}

TEST(Message, AnotherMappingAtTheSamePlace) {
  for (const char* way : kWays) {
    SCOPED_TRACE(way);
    const Job job;
    Team team(2, [&](int rank, Board&) {
      ChannelHandle channel = job.open(rank, 2, "tcp", way);
      const Made pieces("hvector(1000, 100, 300, byte)");
      constexpr std::size_t kBytes = 300 * 1024;
      void* at = nullptr;
      for (int time = 0; time < 6; ++time) {
        void* const mapped = mmap(at, kBytes, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | (at != nullptr ? MAP_FIXED : 0), -1, 0);
        claim(mapped != MAP_FAILED && (at == nullptr || mapped == at), "the same place");
        at = mapped;
        auto* memory = static_cast<unsigned char*>(mapped);
        for (int again = 0; again < 3; ++again) {
          const Memory wanted = filled(kBytes, static_cast<std::uint64_t>(10 * time + again));
          if (rank == 0) std::copy(wanted.begin(), wanted.end(), memory);
          GAPLESS_Transfer one =
              rank == 0 ? send(channel, memory, 1, pieces, 1) : receive(channel, memory, 1, pieces, 0);
          wait(channel, one);
          for (std::size_t k = 0; k < kBytes && rank == 1; ++k)
            claim(memory[k] == (k < 300'000 && k % 300 < 100 ? wanted[k] : 0), "its data");
        }
        expect(GAPLESS_Channel_forget(channel.get(), mapped, kBytes), 0, "forget");
        munmap(mapped, kBytes);
      }
      close(channel);
    });
    EXPECT_TRUE(team.all_good());
  }
}

}  // namespace
}  // namespace gapless::test

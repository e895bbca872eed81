// How a job begins, and what is said of arguments that make no sense.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "channel/team.hpp"

namespace gapless::test {
namespace {

TEST(Open, WrongSecret) {
  Job job;
  Team team(2, [&](int rank, Board&) {
    Job own = job;
    if (rank == 1) own.secret = "of another";
    GAPLESS_Channel_options options = own.options(rank, 2, "tcp", "adaptive");
    options.timeout_s = 1.5;
    GAPLESS_Channel channel = nullptr;
    const int wanted = rank == 0 ? GAPLESS_CHANNEL_ERR_TIMEOUT : GAPLESS_CHANNEL_ERR_SECRET;
    expect(GAPLESS_Channel_open(&options, &channel), wanted, "open");
    claim(channel == nullptr, "outputs are set on success only");
    claim_text(rank == 0 ? "another secret" : "rank 0 at " + job.place + " has another secret");
  });
  EXPECT_TRUE(team.all_good());
}

TEST(Open, NobodyComes) {
  const Job job;
  Team team(2, [&](int rank, Board&) {
    GAPLESS_Channel_options options = job.options(rank, 3, "tcp", "adaptive");
    options.timeout_s = 0.5;
    GAPLESS_Channel channel = nullptr;
    const double begin = seconds();
    expect(GAPLESS_Channel_open(&options, &channel), GAPLESS_CHANNEL_ERR_TIMEOUT, "open");
    claim(seconds() - begin < 10, "it took too long");
  });
  EXPECT_TRUE(team.all_good());
}

TEST(Open, NoSuchProvider) {
  Team team(1, [](int, Board&) {
    GAPLESS_Channel_options options = GAPLESS_CHANNEL_OPTIONS;
    options.secret = "s";
    options.provider = "carrier pigeon";
    GAPLESS_Channel channel = nullptr;
    expect(GAPLESS_Channel_open(&options, &channel), GAPLESS_CHANNEL_ERR_FABRIC, "open");
    claim_text("no provider 'carrier pigeon'");
    claim_text("tcp");
  });
  EXPECT_TRUE(team.all_good());
}

TEST(Open, ByTheEnvironment) {
  const Job job;
  Team team(2, [&](int rank, Board&) {
    setenv("GAPLESS_FABRIC_MEETING", job.place.c_str(), 1);
    setenv("GAPLESS_JOB_SECRET", "of the environment", 1);
    setenv("GAPLESS_FABRIC_PROVIDER", "shm", 1);
    setenv("GAPLESS_FABRIC_WAY", "lists", 1);
    GAPLESS_Channel_options options = GAPLESS_CHANNEL_OPTIONS;
    options.rank = rank;
    options.processes = 2;
    GAPLESS_Channel opened = nullptr;
    expect(GAPLESS_Channel_open(&options, &opened), 0, "open");
    ChannelHandle channel(opened);
    claim(std::string(GAPLESS_Channel_provider(opened)).find("shm") != std::string::npos, "the provider");
    const Made pieces("hvector(1000, 100, 300, byte)");
    Memory memory = filled(300'000, 1);
    GAPLESS_Transfer one =
        rank == 0 ? send(channel, memory.data(), 1, pieces, 1) : receive(channel, memory.data(), 1, pieces, 0);
    wait(channel, one);
    claim(rank == 1 || count(channel).lists == 1, "the way");
    close(channel);
  });
  EXPECT_TRUE(team.all_good());
}

TEST(Open, TwoChannelsInOneProcess) {
  for (const char* provider : {"tcp", "shm"}) {
    const Job first, second;
    Team team(2, [&](int rank, Board&) {
      ChannelHandle one = first.open(rank, 2, provider), two = second.open(1 - rank, 2, provider);
      const Made byte("byte");
      const Memory from = filled(100'000, static_cast<std::uint64_t>(rank));
      Memory a(100'000), b(100'000);
      std::vector<std::pair<const ChannelHandle*, GAPLESS_Transfer>> all = {
          {&one, receive(one, a.data(), 100'000, byte, 1 - rank)},
          {&two, receive(two, b.data(), 100'000, byte, rank)},
          {&one, send(one, from.data(), 100'000, byte, 1 - rank)},
          {&two, send(two, from.data(), 100'000, byte, rank)}};
      GAPLESS_Transfer stray = all[0].second;
      expect(GAPLESS_Channel_wait(two.get(), &stray, 0, nullptr), GAPLESS_CHANNEL_ERR_ARG, "wait on the other channel");
      for (bool done = false; !done;) {
        done = true;
        for (auto& [channel, transfer] : all) {
          if (transfer == nullptr) continue;
          const int status = GAPLESS_Channel_wait(channel->get(), &transfer, 0.001, nullptr);
          claim(status == 0 || status == GAPLESS_CHANNEL_ERR_TIMEOUT, "wait");
          done &= transfer == nullptr;
        }
      }
      claim(a == filled(100'000, static_cast<std::uint64_t>(1 - rank)) && b == a, "the data");
      close(one);
      GAPLESS_Transfer last = rank == 0 ? send(two, from.data(), 10, byte, 0) : receive(two, a.data(), 10, byte, 1);
      wait(two, last);
      close(two);
    });
    EXPECT_TRUE(team.all_good());
  }
}

TEST(Arguments, AreChecked) {
  Team team(1, [](int, Board&) {
    const auto wrong = [](int status) { expect(status, GAPLESS_CHANNEL_ERR_ARG, "a wrong argument"); };
    GAPLESS_Channel_options options = GAPLESS_CHANNEL_OPTIONS;
    options.secret = "s";
    GAPLESS_Channel opened = nullptr;
    wrong(GAPLESS_Channel_open(nullptr, &opened));
    wrong(GAPLESS_Channel_open(&options, nullptr));
    expect(GAPLESS_Channel_open(&options, &opened), 0, "open");
    ChannelHandle channel(opened);
    const Made byte("byte");
    GAPLESS_Transfer transfer = nullptr;
    char one = 0;
    wrong(GAPLESS_Channel_send(nullptr, &one, 1, byte, 0, &transfer));
    wrong(GAPLESS_Channel_send(opened, &one, 1, nullptr, 0, &transfer));
    wrong(GAPLESS_Channel_send(opened, &one, 1, byte, 1, &transfer));
    wrong(GAPLESS_Channel_send(opened, &one, 1, byte, -1, &transfer));
    wrong(GAPLESS_Channel_send(opened, &one, -1, byte, 0, &transfer));
    wrong(GAPLESS_Channel_send(opened, &one, 1, byte, 0, nullptr));
    wrong(GAPLESS_Channel_receive(opened, &one, -1, byte, 0, &transfer));
    wrong(GAPLESS_Channel_receive(opened, &one, 1, byte, 7, &transfer));
    claim_text("rank 7 is not one of the job's 1");
    wrong(GAPLESS_Channel_wait(opened, &transfer, 0, nullptr));
    wrong(GAPLESS_Channel_wait(opened, nullptr, 0, nullptr));
    wrong(GAPLESS_Channel_forget(opened, &one, -1));
    wrong(GAPLESS_Channel_count(opened, nullptr, 8));
    GAPLESS_Channel_counters counters;
    wrong(GAPLESS_Channel_count(opened, &counters, sizeof counters + 1));
    expect(GAPLESS_Channel_count(opened, &counters, 8), 0, "the counters of an older version");
    claim(transfer == nullptr, "outputs are set on success only");
    transfer = send(channel, &one, 1, byte, 0);
    GAPLESS_Transfer in = receive(channel, &one, 1, byte, 0), ended = in;
    wait(channel, in);
    wrong(GAPLESS_Channel_wait(opened, &ended, 0, nullptr));
    claim_text("the transfer is none of this channel, or has ended");
    wait(channel, transfer);
    close(channel);
    wrong(GAPLESS_Channel_close(nullptr));
    GAPLESS_Channel none = nullptr;
    wrong(GAPLESS_Channel_close(&none));
    claim(std::string(GAPLESS_Channel_provider(nullptr)).empty(), "no provider");
  });
  EXPECT_TRUE(team.all_good());
}

}  // namespace
}  // namespace gapless::test

// Messages between threads of one process, which share its pool: under the thread sanitizer (tools/test_tsan.sh) any
// byte of a chunk that two of them touch without an order is reported. (Between processes it sees nothing.)
#include <atomic>
#include <cstdio>
#include <thread>

#include "wire/traffic.hpp"

namespace gapless::wire::test {

namespace {

constexpr int kMembers = 3, kChannels = 2;

// One way: all by member 0, so that nothing orders the threads but the messages themselves.
std::vector<Message> messages_of(std::uint64_t round, bool one_way) {
  std::vector<Message> messages = random_messages(round, kMembers, 60, 3 << 20);
  for (Message& message : messages) {
    if (!one_way) continue;
    message.from = 0;
    if (message.to == 0) message.to = 1;
  }
  return messages;
}

bool exchange_by_threads(Segment& segment, Pool& pool, std::uint64_t round, bool one_way) {
  const std::vector<Message> messages = messages_of(round, one_way);
  const std::vector<int> peers(kMembers, Pool::kNoPeer);
  std::atomic<bool> good{true};
  std::vector<std::thread> threads;
  for (int k = 0; k < kChannels; ++k) {
    const int number = Channel::take(segment, kMembers);
    for (int self = 0; self < kMembers; ++self) {
      threads.emplace_back([&, number, self] {
        const auto channel = Channel::open(segment, number, self, kMembers);
        const std::string wrong = channel == nullptr
                                      ? "no channel"
                                      : exchange(segment, pool, *channel, self, peers, messages,
                                                 round * 100 + static_cast<std::uint64_t>(number * kMembers + self));
        if (wrong.empty()) return;
        std::printf("FAILED: round %d, member %d of channel %d: %s\n", static_cast<int>(round), self, number,
                    wrong.c_str());
        good = false;
      });
    }
  }
  for (std::thread& thread : threads) thread.join();
  return good;
}

bool run() {
  Segment segment;
  std::string why;
  if (!segment.attach(Segment::make(kMembers, 64 << 20, why), 0, why)) {
    std::printf("FAILED: %s\n", why.c_str());
    return false;
  }
  Pool pool(segment);
  for (std::uint64_t round = 0; round < 8; ++round) {
    if (!exchange_by_threads(segment, pool, round, round % 2 == 0)) return false;
    if (pool.busy() != 0) {
      std::printf("FAILED: chunks did not come back\n");
      return false;
    }
  }
  return true;
}

}  // namespace

}  // namespace gapless::wire::test

// The sanitizer calls it with each race that it reports.
extern "C" __attribute__((visibility("default"))) void __tsan_on_report(const void*) {
  std::printf("FAILED: a race\n");
  std::fflush(stdout);
}

int main() {
  return gapless::wire::test::run() ? 0 : 1;
}

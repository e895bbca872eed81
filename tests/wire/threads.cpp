// Messages between threads of one process, which share its pool: under the thread sanitizer (tools/test_tsan.sh) any
// byte of a chunk that two of them touch without an order is reported. (Between processes it sees nothing.)
#include <atomic>
#include <cstdio>
#include <thread>

#include "wire/traffic.hpp"

namespace gapless::wire::test {

namespace {

bool run() {
  constexpr int kThreads = 4, kRounds = 20;
  Segment segment;
  std::string why;
  if (!segment.attach(Segment::make(2, 64 << 20, why), 0, why)) {
    std::printf("FAILED: %s\n", why.c_str());
    return false;
  }
  Pool pool(segment);
  std::atomic<bool> good{true};
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    // Two by two, for a segment for two processes has channels of two members.
    std::vector<std::thread> threads;
    const std::vector<Message> messages = random_messages(round, 2, 60, 1 << 20);
    for (int thread = 0; thread < kThreads; thread += 2) {
      const int number = Channel::take(segment, 2);
      for (int self = 0; self < 2; ++self) {
        threads.emplace_back([&, number, self, thread] {
          const auto channel = Channel::open(segment, number, self, 2);
          const std::string wrong = channel == nullptr
                                        ? "no channel"
                                        : exchange(segment, pool, *channel, self, {Pool::kNoPeer, Pool::kNoPeer},
                                                   messages, round * 10 + static_cast<std::uint64_t>(thread + self));
          if (wrong.empty()) return;
          std::printf("FAILED: round %d, member %d of channel %d: %s\n", static_cast<int>(round), self, number,
                      wrong.c_str());
          good = false;
        });
      }
    }
    for (std::thread& thread : threads) thread.join();
    if (pool.busy() != 0) {
      std::printf("FAILED: chunks did not come back\n");
      return false;
    }
  }
  return good;
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

#include "property/numbered_run.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

namespace gapless::test {
namespace {

volatile std::sig_atomic_t interrupted = 0;

// The second Ctrl-C ends the program at once.
void interrupt(int) {
  interrupted = 1;
  std::signal(SIGINT, SIG_DFL);
}

class ProgressLine {
 public:
  ProgressLine(std::int64_t from, std::int64_t to)
      : from_(from), to_(to), shown_(isatty(STDERR_FILENO) != 0), start_(Clock::now()), last_(start_) {}
  ~ProgressLine() {
    if (shown_) std::fprintf(stderr, "\r\033[K");
  }
  void at(std::int64_t i) {
    if (!shown_ || i % 64 != 0) return;
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(500)) return;
    last_ = now;
    const double seconds = std::chrono::duration<double>(now - start_).count();
    const double left =
        seconds * static_cast<double>(to_ - i) / static_cast<double>(std::max<std::int64_t>(1, i - from_));
    std::fprintf(stderr, "\r%lld of %lld, %.0f s, %.0f s to go \033[K", static_cast<long long>(i),
                 static_cast<long long>(to_), seconds, left);
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::int64_t from_, to_;
  bool shown_;
  Clock::time_point start_, last_;
  std::mutex mutex_;
};

}  // namespace

std::int64_t numbered_run(std::int64_t from, std::int64_t to, unsigned threads,
                          const std::function<bool(unsigned thread, std::int64_t i)>& work) {
  interrupted = 0;
  const auto before = std::signal(SIGINT, interrupt);
  std::atomic<std::int64_t> next{from};
  {
    ProgressLine line(from, to);
    const auto loop = [&](unsigned thread) {
      while (!interrupted) {
        const std::int64_t i = next++;
        if (i >= to) return;
        line.at(i);
        if (!work(thread, i)) return;
      }
    };
    std::vector<std::thread> others;
    for (unsigned thread = 1; thread < threads; ++thread) others.emplace_back(loop, thread);
    loop(0);
    for (std::thread& other : others) other.join();
  }
  std::signal(SIGINT, before);
  const std::int64_t end = std::min<std::int64_t>(next, to);
  if (interrupted) std::fprintf(stderr, "\ninterrupted: resume with --from %lld\n", static_cast<long long>(end));
  return end;
}

}  // namespace gapless::test

// What it costs to store into lines that another core has read: one side writes a buffer and the other reads it, in
// turn. For two processes that map the same memory, or two threads, each on a core of its own. Neither MPI nor the
// engine is in it.
#pragma once

#include <sched.h>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gapless::lab {

enum class Store {
  kPlain,  // through the caches, as most code does
  kPast,   // past them: non-temporal, and a fence before the reader is told
};

// Both sides make one of the same memory, and call write() and read() alike often, for as many rounds.
class PeerLines {
 public:
  static constexpr std::size_t kLine = 64;  // [bytes]

  // Of the memory to share, which begins on a line and with zeros [bytes].
  static constexpr std::size_t shared_bytes(int lines) { return (static_cast<std::size_t>(lines) + 1) * kLine; }
  PeerLines(void* shared, int lines)
      : turn_(static_cast<std::atomic<std::uint32_t>*>(shared)),
        bytes_(static_cast<char*>(shared) + kLine),
        lines_(lines) {}

  // Nanoseconds that each round took to store every line once, divided by the lines.
  std::vector<double> write(Store store, int rounds) {
    return each_round(rounds, 0, [&] {
      for (int i = 0; i < lines_; ++i) store_line(bytes_ + static_cast<std::size_t>(i) * kLine, store);
      if (store == Store::kPast) fence();
    });
  }

  // The same of reading them.
  std::vector<double> read(int rounds) {
    return each_round(rounds, 1, [&] {
      Words sum{};
      for (int i = 0; i < 4 * lines_; ++i) sum += *reinterpret_cast<const Words*>(bytes_ + 16 * i);
      asm volatile("" : : "x"(sum));
    });
  }

  // Any work on the lines instead, with `side` 0 before 1.
  template <class Work>
  std::vector<double> each_round(int rounds, std::uint32_t side, Work work) {
    std::vector<double> nanoseconds;
    for (int i = 0; i < rounds; ++i, passed_ += 2) {
      wait_for(passed_ + side);
      const auto begin = std::chrono::steady_clock::now();
      work();
      const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
      turn_->store(passed_ + side + 1, std::memory_order_release);
      nanoseconds.push_back(taken.count() / lines_);
    }
    return nanoseconds;
  }

  char* bytes() { return bytes_; }

 private:
  using Words [[gnu::vector_size(16), gnu::may_alias]] = std::int64_t;

  // Spins, and lets others run where there is no second core.
  void wait_for(std::uint32_t turn) const {
    for (int spins = 0; turn_->load(std::memory_order_acquire) != turn; ++spins)
      if (spins > 20000) sched_yield();
  }

  static void store_line(char* line, Store store) {
    const Words words{reinterpret_cast<std::int64_t>(line), 1};
    for (int i = 0; i < 4; ++i) {
      Words* const to = reinterpret_cast<Words*>(line) + i;
#if defined(__x86_64__)
      if (store == Store::kPast) {
        asm volatile("movntps %1, %0" : "=m"(*to) : "x"(words));
        continue;
      }
#elif defined(__aarch64__)
      if (store == Store::kPast) {
        if (i % 2 == 0) asm volatile("stnp %q1, %q1, [%0]" : : "r"(to), "w"(words) : "memory");
        continue;
      }
#endif
      *static_cast<volatile Words*>(to) = words;
    }
  }

  static void fence() {
#if defined(__x86_64__)
    asm volatile("sfence" : : : "memory");
#endif
  }

  std::atomic<std::uint32_t>* turn_;
  char* bytes_;
  int lines_;
  std::uint32_t passed_ = 0;
};

}  // namespace gapless::lab

// With which stores to pack into chunks: through the caches or past them. A store into a line that another core has
// read costs from 2 to 27 ns, by where the pages of this very launch lie, and a non-temporal one always 1 to 3
// (docs/methods.md, "Lines that a peer has read"). So it is measured while the program runs.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.hpp"

namespace gapless::wire {

class Stores {
 public:
  // Packs a part of `bytes` bytes by one of both, and now and then tries the one that is not preferred. Thread-safe.
  template <class Near, class Past>
  void pack(std::int64_t bytes, Near&& near, Past&& past) noexcept {
    if (bytes < kLeastBytes || !is_trial(parts_.fetch_add(1, std::memory_order_relaxed))) {
      is_past_preferred() ? past() : near();
      return;
    }
    const bool is_past = turn_.fetch_add(1, std::memory_order_relaxed) % 2 != 0;
    const std::int64_t from = base::now_ns();
    is_past ? past() : near();
    std::atomic<std::int64_t>& cost = is_past ? past_ : near_;
    const std::int64_t before = cost.load(std::memory_order_relaxed);
    cost.store(before - before / 8 + (base::now_ns() - from) * kUnit / bytes, std::memory_order_relaxed);
  }
  bool is_past_preferred() const noexcept {
    return past_.load(std::memory_order_relaxed) <= near_.load(std::memory_order_relaxed);
  }

 private:
  // Two parts, one by each, in a row of so many: one of 256 is packed by the worse stores. Where these cost 27 times as
  // much that adds a tenth, where they cost three times as much not a hundredth.
  static constexpr std::uint32_t kPeriod = 256;
  // At the beginning all parts are tried: the first ones meet lines that nobody has read.
  static constexpr std::uint32_t kFirstTrials = 48;
  static constexpr std::int64_t kLeastBytes = 16 << 10, kUnit = 1 << 20;

  static bool is_trial(std::uint32_t part) noexcept { return part < kFirstTrials || part % kPeriod < 2; }

  std::atomic<std::uint32_t> parts_{0}, turn_{0};
  std::atomic<std::int64_t> near_{0}, past_{0};  // decaying sums [ns for kUnit bytes]
};

}  // namespace gapless::wire

// With which stores a message is packed into chunks: through the caches or past them. A store into a line that another
// core has read costs from 2 to 27 ns, by where the pages of this very launch lie, and a non-temporal one always 1 to 3
// (docs/methods.md, "Lines that a peer has read"); but what was stored past the caches the receiver reads from memory,
// which may cost more than the stores save. So both ends' time is measured while the program runs: now and then a
// message is a trial, packed in one way as a whole, and its sender and its receivers add what it took them.
//
// These lie in the memory that the processes share, those of each sender in its own part. A sum that two processes
// change at once loses one of both times, which is all that happens.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

namespace gapless::wire {

enum class Trial : std::uint32_t { kNone, kNear, kPast };

class Stores {
 public:
  // What the next message is. Thread-safe, as all here.
  Trial next(std::int64_t bytes) noexcept {
    const std::uint32_t message = of(bytes).messages.fetch_add(1, std::memory_order_relaxed);
    if (message >= kFirstTrials && message % kPeriod >= 2) return Trial::kNone;
    // Two in a row, which first by chance: a program may send by turns what is cheap and what is dear to pack.
    const bool swap = (message / 2 * 0x9e3779b9u >> 31) != 0;
    return (message % 2 != 0) != swap ? Trial::kPast : Trial::kNear;
  }
  // Whether such a message is packed past the caches.
  bool is_past(Trial trial, std::int64_t bytes) const noexcept {
    if (trial != Trial::kNone) return trial == Trial::kPast;
    const Costs& costs = of(bytes);
    return costs.past.load(std::memory_order_relaxed) < costs.near.load(std::memory_order_relaxed);
  }
  // What a trial of `bytes` bytes took one of its ends.
  void add(Trial trial, std::int64_t bytes, std::int64_t ns) noexcept {
    Costs& costs = of(bytes);
    std::atomic<std::int64_t>& cost = trial == Trial::kPast ? costs.past : costs.near;
    const std::int64_t before = cost.load(std::memory_order_relaxed),
                       more = ns * kUnit / std::max<std::int64_t>(bytes, 1);
    if (before == 0) {
      cost.store(8 * more, std::memory_order_relaxed);
      return;
    }
    // A process that was interrupted meanwhile says nothing of stores: no time counts more than four usual ones.
    cost.store(before - before / 8 + std::min(more, before / 2), std::memory_order_relaxed);
  }

 private:
  // Two messages, one by each, in a row of so many: one of 256 is packed by the worse stores. Where these cost 27 times
  // as much that adds a tenth, where they cost three times as much not a hundredth.
  static constexpr std::uint32_t kPeriod = 256;
  // At the beginning all are tried: the first ones meet lines that nobody has read.
  static constexpr std::uint32_t kFirstTrials = 16;
  static constexpr std::int64_t kUnit = 1 << 20;
  // By size, up to 16 KB, 32 KB, ...: what fits into which cache differs.
  static constexpr int kSizes = 8, kLeastBits = 14;

  struct Costs {
    std::atomic<std::uint32_t> messages{0};
    std::atomic<std::int64_t> near{0}, past{0};  // decaying sums of about eight times [ns for kUnit bytes]
  };
  static std::size_t size_of(std::int64_t bytes) noexcept {
    const int bits = std::bit_width(static_cast<std::uint64_t>(bytes > 0 ? bytes - 1 : 0));
    return static_cast<std::size_t>(std::clamp(bits - kLeastBits, 0, kSizes - 1));
  }
  Costs& of(std::int64_t bytes) noexcept { return sizes_[size_of(bytes)]; }
  const Costs& of(std::int64_t bytes) const noexcept { return sizes_[size_of(bytes)]; }

  Costs sizes_[kSizes];
};

}  // namespace gapless::wire

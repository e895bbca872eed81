// With which stores a message is packed into chunks: through the caches or past them. A store into a line that another
// core has read costs from 2 to 27 ns, by where the pages of this very launch lie, and a non-temporal one always 1 to 3
// (docs/methods.md, "Lines that a peer has read"); but what was stored past the caches the receiver reads from memory,
// which may cost more than the stores save. So both ends' time is measured while the program runs: now and then a
// message is a trial, packed in one way as a whole, and its sender and its receivers add what it took them. Messages
// are compared with others of their kind alone: what a face of short runs costs says nothing of one of long runs.
//
// A launch may change while it runs, for a virtual machine moves its processors: then the stores that are preferred
// cost many times as much, until the next trials, which may be a thousand messages later. So some messages between
// trials are watched, and where these are dear again and again, all is tried anew.
//
// These lie in the memory that the processes share, those of each sender in its own part. A sum that two processes
// change at once loses one of both times, which is all that happens.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

namespace gapless::wire {

// Of a blocking send a receiver unpacks mostly while it is packed, and each part more lets it begin earlier. Of others
// there may be many at a time, each part takes a chunk, and mostly the receiver is packing a message of its own.
enum class Sending { kAlone, kAmongOthers };

enum class Trial : std::uint32_t { kNone, kNear, kPast, kWatched };  // a watched one is packed as is preferred

// A message's kind: what both ends' caches may hold of it, and how its stores come.
class StoresKind {
 public:
  // By size, up to 16 KB, 32 KB, ..., 1 MB, and more; by the mean run, below a cache line, below 1 KB, and more.
  static constexpr int kSizes = 8, kRuns = 3, kAll = 2 * kSizes * kRuns;

  StoresKind() = default;
  StoresKind(std::int64_t bytes, std::int64_t mean_run_bytes, Sending sending) noexcept {
    constexpr int kLeastBits = 14;
    const int bits = std::bit_width(static_cast<std::uint64_t>(bytes > 0 ? bytes - 1 : 0)),
              size = std::clamp(bits - kLeastBits, 0, kSizes - 1),
              run = mean_run_bytes < kLine      ? 0
                    : mean_run_bytes < kLongRun ? 1
                                                : 2;
    number_ = static_cast<std::uint32_t>((size * kRuns + run) * 2 + (sending == Sending::kAlone ? 0 : 1));
  }
  // As another process wrote it.
  explicit StoresKind(std::uint64_t number) noexcept : number_(static_cast<std::uint32_t>(number)) {}
  static constexpr bool is_valid(std::uint64_t number) noexcept { return number < kAll; }

  std::uint32_t number() const noexcept { return number_; }

 private:
  static constexpr std::int64_t kLine = 64, kLongRun = 1 << 10;
  std::uint32_t number_ = 0;
};

class Stores {
 public:
  // What the next message is. Thread-safe, as all here.
  Trial next(StoresKind kind) noexcept {
    Costs& costs = costs_[kind.number()];
    const std::uint32_t before = costs.messages.fetch_add(1, std::memory_order_relaxed);
    if (before < kCold) return Trial::kNone;
    const std::uint32_t message = before - kCold;
    if (message >= kFirstTrials && message % period_of(costs) >= 2)
      return is_watched(message) ? Trial::kWatched : Trial::kNone;
    // Mostly two in a row, which first by chance: a program may send by turns what is cheap and what is dear to pack.
    const bool swap = (message / 2 * 0x9e3779b9u >> 31) != 0;
    return (message % 2 != 0) != swap ? Trial::kPast : Trial::kNear;
  }
  // Whether such a message is packed past the caches.
  bool is_past(Trial trial, StoresKind kind) const noexcept {
    if (trial == Trial::kNear || trial == Trial::kPast) return trial == Trial::kPast;
    const Costs& costs = costs_[kind.number()];
    return costs.past.load(std::memory_order_relaxed) < costs.near.load(std::memory_order_relaxed);
  }
  // What a trial of `bytes` bytes, or a message that is watched, took one of its ends.
  void add(Trial trial, StoresKind kind, std::int64_t bytes, std::int64_t ns) noexcept {
    Costs& costs = costs_[kind.number()];
    const std::int64_t more = ns * kUnit / std::max<std::int64_t>(bytes, 1);
    if (trial == Trial::kWatched) return watch(costs, more);
    std::atomic<std::int64_t>& cost = trial == Trial::kPast ? costs.past : costs.near;
    const std::int64_t before = cost.load(std::memory_order_relaxed);
    if (before == 0) {
      cost.store(8 * more, std::memory_order_relaxed);
      return;
    }
    // A process that was interrupted meanwhile says nothing of stores: no time counts more than four usual ones.
    cost.store(before - before / 8 + std::min(more, before / 2), std::memory_order_relaxed);
  }

 private:
  // The first ones take page faults, of chunks that nobody has touched: these would count against either. Those behind
  // are all tried.
  static constexpr std::uint32_t kCold = 2, kFirstTrials = 16;
  static constexpr std::int64_t kUnit = 1 << 20;

  struct Costs {
    std::atomic<std::uint32_t> messages{0};
    std::atomic<std::int64_t> near{0}, past{0};  // decaying sums of about eight times [ns for kUnit bytes]
    std::atomic<int> dear{0};                    // how often of late what is watched was that
  };
  // One in eight, by chance, for the same reason as which is tried first.
  static constexpr bool is_watched(std::uint32_t message) noexcept { return message * 0x9e3779b9u >> 29 == 0; }
  // One end takes twice the usual time of both at most, and its peer may find nothing dear. Who is interrupted does so
  // seldom: a dear end weighs as much as two others.
  static void watch(Costs& costs, std::int64_t more) noexcept {
    constexpr int kDear = 3, kMost = 5;
    const std::int64_t usual =
        std::min(costs.near.load(std::memory_order_relaxed), costs.past.load(std::memory_order_relaxed)) / 8;
    const int before = costs.dear.load(std::memory_order_relaxed),
              dear = more > kDear * usual ? before + 2 : std::max(before - 1, 0);
    costs.dear.store(dear < kMost ? dear : 0, std::memory_order_relaxed);
    if (dear < kMost) return;
    costs.near.store(0, std::memory_order_relaxed);
    costs.past.store(0, std::memory_order_relaxed);
    costs.messages.store(kCold, std::memory_order_relaxed);
  }
  // Two messages, mostly one by each, in a row of so many. One of them is packed by the worse stores: where these cost
  // r times as much, a row of 128 (r - 1) makes that less than a hundredth of the whole; where they cost 27 times as
  // much, the longest row has it lose a fortieth. A choice that hardly matters is tried often, so that it follows the
  // program.
  static std::uint32_t period_of(const Costs& costs) noexcept {
    constexpr std::int64_t kLeast = 32, kMost = 1024;
    const std::int64_t near = costs.near.load(std::memory_order_relaxed),
                       past = costs.past.load(std::memory_order_relaxed), best = std::min(near, past);
    if (best <= 0) return kLeast;
    const std::int64_t row = std::clamp((std::max(near, past) - best) / (best / 128 + 1), kLeast, kMost);
    return std::bit_ceil(static_cast<std::uint32_t>(row));
  }

  Costs costs_[StoresKind::kAll];
};

}  // namespace gapless::wire

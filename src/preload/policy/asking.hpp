// Whether processes go on asking each other, call by call, if blocks of a collective operation go through shared
// memory.
#pragma once

#include <algorithm>
#include <atomic>

#include "preload/procedures.hpp"

namespace gapless::preload {

// After so many calls in which nothing was paired, what is gained is taken for nothing.
inline constexpr int kUnpaired = 32;

// What this process has seen of all its communicators lately. It says so in votes, in which alone it counts.
class Gains {
 public:
  // Of a call in which processes asked, or would have if anything had been gained lately; and of blocks with gaps about
  // which nobody asked.
  static void learn(bool paired) noexcept {
    const int more = std::min(unpaired_.load(std::memory_order_relaxed) + 1, kUnpaired);
    unpaired_.store(paired ? 0 : more, std::memory_order_relaxed);
  }
  static void wish() noexcept { unpaired_.store(0, std::memory_order_relaxed); }
  // True if for long nothing went through shared memory, nor was wished to.
  static bool none_lately() noexcept { return unpaired_.load(std::memory_order_relaxed) >= kUnpaired; }

 private:
  static inline std::atomic<int> unpaired_{0};
};

// Where all blocks are contiguous there is nothing to gain, and asking is a good part of a short call: so those
// who ask stop for a while when for long nothing went that way. All of them see the same calls with the same outcomes,
// count alike, and so need not agree on it; each is to be asked, and told the outcome, in every call.
class Asking {
 public:
  // True if they ask in this call. A program that changes from contiguous blocks to others waits for kSilent calls at
  // most, one that goes to and fro between two procedures is asked always.
  bool asks(Procedure procedure) noexcept {
    if (without_c(procedure) != last_) *this = Asking(without_c(procedure));
    if (silent_ == 0) return true;
    --silent_;
    Gains::learn(false);
    return false;
  }
  // True if the next call of this procedure is one in which they do not.
  bool is_silent(Procedure procedure) const noexcept { return without_c(procedure) == last_ && silent_ > 0; }
  // Of a call in which they asked: true if anything went through shared memory.
  void learn(bool paired) noexcept {
    Gains::learn(paired);
    unpaired_ = paired ? 0 : std::min(unpaired_ + 1, kUnpaired);
    silent_ = unpaired_ == kUnpaired ? kSilent : 0;
  }

  Asking() noexcept = default;

 private:
  static constexpr int kSilent = 8;
  // Before anything was paired, so few calls in which nothing is are enough.
  static constexpr int kAtFirst = 4;
  explicit Asking(Procedure procedure) noexcept : last_(procedure) {}
  Procedure last_{};
  int unpaired_ = kUnpaired - kAtFirst, silent_ = 0;
};

}  // namespace gapless::preload

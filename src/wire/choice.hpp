// Which of two ways a message takes that is sent again and again, by what the program's own cycle takes: from one send
// of it to the next, whatever lies in between. So the choice sees what no clock in the library does: what the program
// pays when it writes the data anew that its peer has read (docs/methods.md, "Lines that a peer has read"), and what
// the other end pays.
//
// The first message goes by host, as its layout is not known yet, unless the other way is the one to expect more of.
// Then both ways take turns in blocks; the other way is taken if the median of each of its blocks is below that of
// host's before it, host if it is above, and where neither is sure, whichever was taken before. From then on the choice
// is tried again now and then, the more seldom the clearer it was, and changes only for a difference that is as clear.
// A trial ends halfway if the way that was taken before takes at most half of the other's time in the first block of
// each: that changes nothing, so a moment in which the machine was busy, or memory that nobody had touched, can only
// put off a change, to the next trial, which comes sooner than after a whole one.
//
// A peer that sends as often may try its ways at the same time. Where it began a block later, each cycle has one
// message of either way, whichever this side tries, and nothing is seen. So a trial without a result is begun again,
// twice, a few messages later: how many is a matter of the time, which two sides do not read alike.
//
// Between two trials a program may change: its receivers come late, and each message costs the wait before it is taken
// back. There is an account of it. Such a message adds its wait, one that was copied takes off what it gained at the
// last trial, but none is put by. At eight waits host is taken, and tried against for the first time 256 messages
// later. So from where the other way is chosen to where host is, all waits outside of trials are at most eight more
// than were gained there; and a trial has at most ten. A message that was refused is one of many that will be: host is
// taken for as long as it ever is.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace gapless::wire {

class Choice {
 public:
  // `expects_other`: the other way is taken until a trial says that host is faster.
  explicit Choice(bool expects_other = false) noexcept : is_other_(expects_other) {}
  // Whether the message that is sent now [ns] takes the other way. One thread at a time.
  bool takes_other(std::int64_t now_ns) noexcept {
    if (is_gained_) lost_ns_ = std::max<std::int64_t>(lost_ns_ - gain_ns_, 0);
    if (last_ns_ != 0 && is_trying_) note(now_ns - last_ns_);
    last_ns_ = now_ns;
    ++messages_;
    is_gained_ = !is_trying_ && left_ > 0 && is_other_;
    if (is_trying_) return block_ % 2 != 0;
    if (left_-- > 0) return is_other_;
    is_trying_ = true;
    block_ = in_block_ = 0;
    return false;
  }

  // The message before took the other way, and was packed all the same: nobody had begun to copy it for so long.
  void was_taken_back(std::int64_t waited_ns) noexcept {
    is_gained_ = false;
    if (is_trying_ || !is_other_) return;  // the cycle that is measured has it
    lost_ns_ += waited_ns;
    if (lost_ns_ >= kMostWaits * waited_ns) give_up(Why::kTakenBack, 8 * kFirstPeriod);
  }
  // Or its receiver could not copy it.
  void was_refused() noexcept { give_up(Why::kRefused, kLongestPeriod); }

  enum class Why { kCycles, kTakenBack, kRefused };
  struct Change {
    bool is_other;
    Why why;
    std::int64_t messages;           // that had been sent before
    std::int64_t host_ns, other_ns;  // of a cycle: medians of the last blocks of each way, if there were any
  };
  // What was decided, if it is another thing than before, or for another reason; once.
  std::optional<Change> take_change() noexcept {
    if (!is_changed_) return std::nullopt;
    is_changed_ = false;
    return Change{is_other_, settled_->why, settled_after_, medians_[kBlocks - 2], medians_[kBlocks - 1]};
  }

 private:
  struct Settled {
    bool is_other;
    Why why;
    bool operator==(const Settled&) const = default;
  };

  static constexpr int kBlock = 5, kSkipped = 1, kBlocks = 4;  // the first of a block find the other way's traces
  static constexpr std::int64_t kFirstPeriod = 32, kLongestPeriod = std::int64_t{1} << 14;  // [messages]
  static constexpr std::int64_t kSure = 33, kClear = 4;  // differences of a 33rd, of a quarter
  static constexpr std::int64_t kMostWaits = 8;          // scheduling has a receiver come late now and then
  static constexpr int kMostUndecided = 3;
  static constexpr std::int64_t kConfirms = 2;  // so many times the time of the way that was taken before

  // A cycle of the message before has ended.
  void note(std::int64_t ns) noexcept {
    if (in_block_ >= kSkipped) samples_[static_cast<std::size_t>(in_block_ - kSkipped)] = ns;
    if (++in_block_ < kBlock) return;
    // The lower median: host's first messages try the dearer stores as often as the cheaper ones (wire/stores.hpp).
    constexpr std::size_t kMedian = (kBlock - kSkipped - 1) / 2;
    std::nth_element(samples_.begin(), samples_.begin() + kMedian, samples_.end());
    medians_[static_cast<std::size_t>(block_)] = samples_[kMedian];
    in_block_ = 0;
    const bool ends_halfway = ++block_ == kBlocks / 2 && is_confirmed();
    if (ends_halfway) std::copy_n(medians_.begin(), kBlocks / 2, medians_.begin() + kBlocks / 2);
    if (ends_halfway || block_ == kBlocks) decide();
  }

  // The first block of the way that was taken before against that of the one that is tried.
  bool is_confirmed() const noexcept {
    const auto taken = static_cast<std::size_t>(is_other_), tried = 1 - taken;
    return medians_[tried] >= kConfirms * medians_[taken];
  }

  void decide() noexcept {
    // Each block of the other way is compared with the one of host's before it: a machine changes meanwhile.
    const auto all_below = [this](int one, int than, std::int64_t part) {
      return is_below(medians_[static_cast<std::size_t>(one)], medians_[static_cast<std::size_t>(than)], part) &&
             is_below(medians_[static_cast<std::size_t>(one + 2)], medians_[static_cast<std::size_t>(than + 2)], part);
    };
    constexpr int kHost = 0, kOther = 1;
    const bool is_surely_other = all_below(kOther, kHost, kSure), is_surely_host = all_below(kHost, kOther, kSure);
    if (!is_surely_other && !is_surely_host && ++undecided_ < kMostUndecided) {
      is_trying_ = false;
      constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15;
      left_ = static_cast<std::int64_t>((static_cast<std::uint64_t>(last_ns_) * kMix >> 32) % (2 * kBlock));
      return;
    }
    undecided_ = 0;
    const bool was_other = is_other_;
    if (is_surely_other) is_other_ = true;
    if (is_surely_host) is_other_ = false;
    const bool is_clear =
        block_ == kBlocks && (is_other_ ? all_below(kOther, kHost, kClear) : all_below(kHost, kOther, kClear));
    if (was_other != is_other_) {
      period_ = kFirstPeriod;
      lost_ns_ = 0;
    }
    gain_ns_ = std::max<std::int64_t>(std::min(medians_[0] - medians_[1], medians_[2] - medians_[3]), 0);
    settle(Why::kCycles, std::min(period_ * (is_clear                            ? 8
                                             : is_surely_other || is_surely_host ? 4
                                                                                 : 2),
                                  kLongestPeriod));
  }
  void give_up(Why why, std::int64_t messages) noexcept {
    is_other_ = is_gained_ = false;
    settle(why, messages);
  }
  void settle(Why why, std::int64_t messages) noexcept {
    left_ = period_ = messages;
    is_trying_ = false;
    const Settled now{is_other_, why};
    is_changed_ = is_changed_ || settled_ != now;
    settled_ = now;
    settled_after_ = messages_;
  }
  static bool is_below(std::int64_t a, std::int64_t b, std::int64_t part) noexcept { return a < b - b / part; }

  std::int64_t last_ns_ = 0, left_ = 1, period_ = kFirstPeriod, messages_ = 0;
  std::int64_t gain_ns_ = 0, lost_ns_ = 0;  // by a message that goes the other way; by waits, more than was gained
  int block_ = 0, in_block_ = 0, undecided_ = 0;
  bool is_trying_ = false, is_other_;
  bool is_gained_ = false;  // the message before went the other way, as far as is known
  std::optional<Settled> settled_;
  std::int64_t settled_after_ = 0;
  bool is_changed_ = false;
  std::array<std::int64_t, kBlock - kSkipped> samples_{};
  std::array<std::int64_t, kBlocks> medians_{};
};

}  // namespace gapless::wire

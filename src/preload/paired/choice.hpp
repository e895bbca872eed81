// Which of two ways a message takes that is sent again and again, by what the program's own cycle takes: from one send
// of it to the next, whatever lies in between. So the choice sees what no clock in the library does: what the program
// pays when it writes the data anew that its peer has read (docs/methods.md, "Lines that a peer has read"), and what
// the other end pays.
//
// The first message goes by host, as its layout is not known yet. Then both ways take turns in blocks; the other way
// is taken if the median of each of its blocks is below that of host's before it. From then on the choice is tried
// again now and then, the more seldom the clearer it was, and changes only for a difference that is as clear.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace gapless::preload {

class Choice {
 public:
  // Whether the message that is sent now [ns] takes the other way. One thread at a time.
  bool takes_other(std::int64_t now_ns) noexcept {
    if (last_ns_ != 0 && is_trying_) note(now_ns - last_ns_);
    last_ns_ = now_ns;
    if (is_trying_) return block_ % 2 != 0;
    if (left_-- > 0) return is_other_;
    is_trying_ = true;
    block_ = in_block_ = 0;
    return false;
  }

 private:
  static constexpr int kBlock = 5, kSkipped = 1, kBlocks = 4;  // the first of a block find the other way's traces
  static constexpr std::int64_t kFirstPeriod = 32, kLongestPeriod = std::int64_t{1} << 14;  // [messages]
  static constexpr std::int64_t kSure = 33, kClear = 4;  // differences of a 33rd, of a quarter

  // A cycle of the message before has ended.
  void note(std::int64_t ns) noexcept {
    if (in_block_ >= kSkipped) samples_[static_cast<std::size_t>(in_block_ - kSkipped)] = ns;
    if (++in_block_ < kBlock) return;
    // The lower median: host's first messages try the dearer stores as often as the cheaper ones (wire/stores.hpp).
    constexpr std::size_t kMedian = (kBlock - kSkipped - 1) / 2;
    std::nth_element(samples_.begin(), samples_.begin() + kMedian, samples_.end());
    medians_[static_cast<std::size_t>(block_)] = samples_[kMedian];
    in_block_ = 0;
    if (++block_ == kBlocks) decide();
  }

  void decide() noexcept {
    // Each block of the other way is compared with the one of host's before it: a machine changes meanwhile.
    const auto all_below = [this](int one, int than, std::int64_t part) {
      return is_below(medians_[static_cast<std::size_t>(one)], medians_[static_cast<std::size_t>(than)], part) &&
             is_below(medians_[static_cast<std::size_t>(one + 2)], medians_[static_cast<std::size_t>(than + 2)], part);
    };
    constexpr int kHost = 0, kOther = 1;
    const bool is_surely_other = all_below(kOther, kHost, kSure), is_surely_host = all_below(kHost, kOther, kSure);
    const bool was_other = is_other_;
    if (is_surely_other) is_other_ = true;
    if (is_surely_host) is_other_ = false;
    const bool is_clear = is_other_ ? all_below(kOther, kHost, kClear) : all_below(kHost, kOther, kClear);
    if (was_other != is_other_) period_ = kFirstPeriod;
    period_ = std::min(period_ * (is_clear ? 8 : is_surely_other || is_surely_host ? 4 : 2), kLongestPeriod);
    left_ = period_;
    is_trying_ = false;
  }
  static bool is_below(std::int64_t a, std::int64_t b, std::int64_t part) noexcept { return a < b - b / part; }

  std::int64_t last_ns_ = 0, left_ = 1, period_ = kFirstPeriod;
  int block_ = 0, in_block_ = 0;
  bool is_trying_ = false, is_other_ = false;
  std::array<std::int64_t, kBlock - kSkipped> samples_{};
  std::array<std::int64_t, kBlocks> medians_{};
};

}  // namespace gapless::preload

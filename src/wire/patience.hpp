// How long a sender waits for its warm chunks to come back rather than take others.
#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "wire/wait.hpp"

namespace gapless::wire {

class Patience {
 public:
  // True if there is some left.
  bool left() const noexcept { return left_; }
  // After a look that found no chunk back.
  void wait(const Segment& segment) noexcept {
    pause(segment);
    const std::int64_t now = base::now_ns();
    if (since_ == 0) since_ = now;
    left_ = now - since_ < kNs;
  }
  // Something moved.
  void restart() noexcept {
    since_ = 0;
    left_ = true;
  }

  static constexpr std::int64_t kNs = 35'000;  // receivers that are at work need less

 private:
  std::int64_t since_ = 0;  // [ns] of the first look that found nothing
  bool left_ = true;
};

}  // namespace gapless::wire

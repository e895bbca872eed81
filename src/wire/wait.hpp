// Waiting for another process: it spins, then yields, for there may be more processes than cores; and now and then it
// lets the caller make progress, and asks whether the other process still runs.
#pragma once

#include <cstdint>

#include "wire/segment.hpp"

namespace gapless::wire {

// Called while a process waits: another one may need it to make progress. May be null.
using Meanwhile = void (*)() noexcept;

// True if there are more processes on the node than processors.
bool is_crowded(const Segment& segment) noexcept;

// A short pause: of the processor, or for other processes where there are more of them than processors.
void pause(const Segment& segment) noexcept;

class Wait {
 public:
  Wait(const Segment& segment, Meanwhile meanwhile) noexcept : segment_(segment), meanwhile_(meanwhile) {}
  // After a look that found nothing. Returns false if `process` has ended, and one more look since that found nothing
  // either: it may have done its part before.
  bool again(int process) noexcept;
  // Something moved.
  void restart() noexcept {
    rounds_ = 0;
    has_ended_ = false;
  }

 private:
  const Segment& segment_;
  Meanwhile meanwhile_;
  std::int64_t rounds_ = 0;
  std::int64_t asked_ns_ = 0;
  bool has_ended_ = false;
};

}  // namespace gapless::wire

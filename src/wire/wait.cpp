#include "wire/wait.hpp"

#include <sched.h>
#include <unistd.h>

#include "base/clock.hpp"

namespace gapless::wire {

namespace {

// Some ten microseconds: a part takes no longer to pack.
constexpr std::int64_t kSpins = 1000;
constexpr std::int64_t kAskNs = 50'000'000;

}  // namespace

bool is_crowded(const Segment& segment) noexcept {
  static const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  return segment.processes() > processors;
}

void pause(const Segment& segment) noexcept {
  if (is_crowded(segment)) {
    sched_yield();
    return;
  }
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

bool Wait::again(int process) noexcept {
  if (++rounds_ < kSpins) {
    pause(segment_);
    return true;
  }
  if (rounds_ == kSpins) asked_ns_ = base::now_ns();
  if (meanwhile_ != nullptr) meanwhile_();
  sched_yield();
  const std::int64_t now = base::now_ns();
  if (has_ended_) return false;
  if (now - asked_ns_ < kAskNs) return true;
  asked_ns_ = now;
  // What it did before it ended is looked for once more.
  has_ended_ = !segment_.is_running(process);
  return true;
}

}  // namespace gapless::wire

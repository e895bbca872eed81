// Copies parts of a message from one layout to another, for whoever has both in reach.
#pragma once

#include <algorithm>
#include <cstdint>

#include "copy/planned.hpp"
#include "move/move.hpp"

namespace gapless::preload {

// One end of a message.
struct End {
  const plan::PlanPtr& plan;
  std::int64_t count;
};

class PartCopy {
 public:
  // Of the source's message the first `bytes` bytes, which the target may have room for more than.
  PartCopy(const End& source, const End& target, std::int64_t bytes) noexcept
      : source_(source),
        target_(target),
        is_joined_(source.plan->size() * source.count == bytes && bytes % target.plan->size() == 0) {
    if (is_joined_) target_.count = bytes / target.plan->size();
    source_.plan->prepare(source_.count);
    target_.plan->prepare(target_.count);
  }

  // Bytes [position, position + bytes) of the message, of which no byte at `from` is one at `to`.
  void copy(const void* from, void* to, std::int64_t position, std::int64_t bytes) const noexcept {
    if (is_joined_) {
      try {
        copy::planned_apart(from, source_.plan, source_.count, to, target_.plan, target_.count, position, bytes);
        return;
      } catch (...) {
        // No memory for a common plan, and nothing is copied.
      }
    }
    constexpr std::int64_t kStripBytes = 4096;
    char strip[kStripBytes];
    for (std::int64_t done = 0; done < bytes; done += kStripBytes) {
      const std::int64_t part = std::min(kStripBytes, bytes - done);
      move::pack(*source_.plan, source_.count, from, position + done, strip, part);
      move::unpack(*target_.plan, target_.count, to, position + done, strip, part);
    }
  }

 private:
  End source_, target_;
  bool is_joined_;
};

}  // namespace gapless::preload

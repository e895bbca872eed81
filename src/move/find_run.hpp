// The seek into a list of blocks.
#pragma once

#include <algorithm>
#include <cstdint>

#include "plan/step.hpp"

namespace gapless::move {

// The run that holds a byte, and where it starts in the step's stream [bytes].
struct FoundRun {
  std::size_t run;
  std::int64_t start;
};

// Cost: logarithmic in the list, plus kStartsEach lengths at most.
inline FoundRun find_run(const plan::Step& step, std::int64_t position) noexcept {
  const auto behind = std::upper_bound(step.starts.begin(), step.starts.end(), position);
  const auto group = static_cast<std::size_t>(behind - step.starts.begin() - 1);
  FoundRun found{group * plan::kStartsEach, step.starts[group]};
  step.lengths.with_raw([&](const auto* raw) {
    const std::int64_t scale = step.lengths.scale();
    while (found.start + raw[found.run] * scale <= position) found.start += raw[found.run++] * scale;
  });
  return found;
}

}  // namespace gapless::move

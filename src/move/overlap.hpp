// How much a transfer moves, and whether its two sides share memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "plan/plan.hpp"

namespace gapless::move {

// Bytes of a message that pack() or unpack() would move: `budget`, or as many as there are behind `position`.
inline std::int64_t bytes_to_move(const plan::Plan& plan, std::int64_t count, std::int64_t position,
                                  std::int64_t budget) noexcept {
  std::int64_t total;
  // A message beyond 63 bits fits no memory; the part of it that can be asked for still runs.
  if (__builtin_mul_overflow(plan.size(), count, &total)) total = std::numeric_limits<std::int64_t>::max();
  if (count <= 0 || position < 0 || position >= total || budget <= 0) return 0;
  return std::min(budget, total - position);
}

// Whether `bytes` at `packed` lie, in part, between the first and the last byte that `count` elements at `buffer`
// touch. Constant time, so gaps count as touched; the whole message counts, not only the part that is moved.
bool overlap(const plan::Plan& plan, std::int64_t count, const void* buffer, const void* packed,
             std::int64_t bytes) noexcept;

}  // namespace gapless::move

// The bytes that a transfer moves, and the test for memory that its two sides share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "plan/plan.hpp"

namespace gapless::move {

// The bytes of a message that pack() or unpack() would move: `budget`, or fewer if the message ends before.
inline std::int64_t bytes_to_move(const plan::Plan& plan, std::int64_t count, std::int64_t position,
                                  std::int64_t budget) noexcept {
  std::int64_t total;
  // A message beyond 63 bits fits no memory; the part of it that can be asked for still runs.
  if (__builtin_mul_overflow(plan.size(), count, &total)) total = std::numeric_limits<std::int64_t>::max();
  if (count <= 0 || position < 0 || position >= total || budget <= 0) return 0;
  return std::min(budget, total - position);
}

// overlap() in 128-bit arithmetic. Cost: that of a seek; more if a list does not ascend, if regular copies interleave,
// or if the memory lies in many gaps; but at most a few thousand steps and one for each run of an element: then the
// result is true.
bool runs_overlap(const plan::Plan& plan, std::int64_t count, const void* buffer, const void* packed,
                  std::int64_t bytes) noexcept;

// True if any byte of `bytes` at `packed` is one of `count` elements at `buffer`; the whole message counts, not only
// the part that is moved. Constant time if the packed side is outside the bounds of the message.
inline bool overlap(const plan::Plan& plan, std::int64_t count, const void* buffer, const void* packed,
                    std::int64_t bytes) noexcept {
  if (count <= 0 || bytes <= 0 || plan.size() == 0) return false;
  std::int64_t reach = 0;
  constexpr std::int64_t kShort = std::int64_t{1} << 56;
  if (!plan.has_short_bounds() || bytes > kShort ||
      (count > 1 && (__builtin_mul_overflow(count - 1, plan.extent(), &reach) || reach > kShort || reach < -kShort)))
    return runs_overlap(plan, count, buffer, packed, bytes);
  // From the first byte of user memory to that of the packed side; modulo 2^64, which is what decides where addresses
  // are far apart as well: then it is beyond any of these lengths.
  const std::int64_t low = plan.low() + std::min<std::int64_t>(reach, 0);
  const std::int64_t high = plan.high() + std::max<std::int64_t>(reach, 0);
  const auto from =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(packed) - reinterpret_cast<std::uintptr_t>(buffer));
  return from < high && low - bytes < from && runs_overlap(plan, count, buffer, packed, bytes);
}

// Memory [low, high) from the buffer's address, between the first and the last byte of a message; false: it fits in no
// memory.
inline bool bounds_of(const plan::Plan& plan, std::int64_t count, std::int64_t& low, std::int64_t& high) noexcept {
  std::int64_t reach = 0;
  return count > 0 && plan.has_short_bounds() && !__builtin_mul_overflow(count - 1, plan.extent(), &reach) &&
         !__builtin_add_overflow(plan.low(), std::min<std::int64_t>(reach, 0), &low) &&
         !__builtin_add_overflow(plan.high(), std::max<std::int64_t>(reach, 0), &high) && low <= high;
}

// True if the memory between the first and the last byte of one message overlaps that of the other.
bool overlap(const plan::Message& a, const void* at_a, const plan::Message& b, const void* at_b) noexcept;

}  // namespace gapless::move

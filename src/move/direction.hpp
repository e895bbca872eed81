// Pack and unpack are one traversal; a direction says which side is the destination.
#pragma once

#include <cstdint>
#include <cstring>

#include "plan/step.hpp"

namespace gapless::move {

// One row of blocks in user memory against the packed stream, possibly repeated.
struct Rows {
  std::int64_t block, inner_count, outer_count;
  std::int64_t user_inner, user_outer;      // [bytes]
  std::int64_t packed_inner, packed_outer;  // [bytes]
};

// As kernels read it; the shift is the caller's to add. Lengths have none.
inline kernel::List list(const base::Numbers& numbers) noexcept {
  return {numbers.data(), numbers.scale()};
}

struct Pack {
  using User = const char*;
  using Packed = char*;
  // The packed stream is dense, so no order of traversal can write a byte twice.
  static bool any_order(bool) noexcept { return true; }
  static void bytes(User user, Packed packed, std::int64_t n) noexcept {
    std::memcpy(packed, user, static_cast<std::size_t>(n));
  }
  static void rows(kernel::Strided copy, User user, Packed packed, const Rows& r) noexcept {
    copy(packed, user,
         {r.inner_count, r.outer_count, r.packed_inner, r.packed_outer, r.user_inner, r.user_outer, r.block});
  }
  static void listed(const plan::Step& step, User user, Packed packed, std::int64_t first,
                     std::int64_t count) noexcept {
    step.gather(packed, user + step.offsets.shift(), list(step.offsets), first, count, step.block);
  }
  static void runs(const plan::Step& step, User user, Packed packed, std::int64_t first, std::int64_t count) noexcept {
    step.gather_runs(packed, user + step.offsets.shift(), list(step.offsets), list(step.lengths), first, count);
  }
};

struct Unpack {
  using User = char*;
  using Packed = const char*;
  // Where runs may overlap, only type-map order lets the last one win.
  static bool any_order(bool disjoint) noexcept { return disjoint; }
  static void bytes(User user, Packed packed, std::int64_t n) noexcept {
    std::memcpy(user, packed, static_cast<std::size_t>(n));
  }
  static void rows(kernel::Strided copy, User user, Packed packed, const Rows& r) noexcept {
    copy(user, packed,
         {r.inner_count, r.outer_count, r.user_inner, r.user_outer, r.packed_inner, r.packed_outer, r.block});
  }
  static void listed(const plan::Step& step, User user, Packed packed, std::int64_t first,
                     std::int64_t count) noexcept {
    step.scatter(user + step.offsets.shift(), packed, list(step.offsets), first, count, step.block);
  }
  static void runs(const plan::Step& step, User user, Packed packed, std::int64_t first, std::int64_t count) noexcept {
    step.scatter_runs(user + step.offsets.shift(), packed, list(step.offsets), list(step.lengths), first, count);
  }
};

}  // namespace gapless::move

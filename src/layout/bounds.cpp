#include "layout/bounds.hpp"

#include <algorithm>
#include <string>

#include "base/checked.hpp"

namespace gapless::layout {

using base::checked_add;
using base::checked_mul;
using base::checked_sub;

void require(bool condition, const char* what, std::int64_t value) {
  if (!condition)
    throw base::Error(base::Status::kInvalidArgument, std::string(what) + ", not " + std::to_string(value));
}

int deeper(int old) {
  constexpr int kMaxDepth = 1000;
  if (old >= kMaxDepth)
    throw base::Error(base::Status::kInvalidArgument, "types nest at most " + std::to_string(kMaxDepth) + " deep");
  return old + 1;
}

void Bounds::Interval::include(std::int64_t from, std::int64_t to) {
  low = any ? std::min(low, from) : from;
  high = any ? std::max(high, to) : to;
  any = true;
}

void Bounds::add_block(std::int64_t blocklength, std::int64_t displacement, const Layout& old) {
  depth_ = std::max(depth_, old.depth);
  if (blocklength == 0) return;
  alignment_ = std::max(alignment_, old.alignment);
  size_ = checked_add(size_, checked_mul(blocklength, old.size, "blocklength * size"), "size of the type");
  const std::int64_t reach = checked_mul(blocklength - 1, old.extent, "(blocklength - 1) * extent");
  const std::int64_t first = checked_add(displacement, std::min<std::int64_t>(reach, 0), "displacement + block");
  const std::int64_t last = checked_add(displacement, std::max<std::int64_t>(reach, 0), "displacement + block");
  const auto shifted = [&](Interval& into, std::int64_t low, std::int64_t high) {
    into.include(checked_add(first, low, "displacement + lower bound"),
                 checked_add(last, high, "displacement + upper bound"));
  };
  if (old.size > 0) shifted(data_, old.true_lb, checked_add(old.true_lb, old.true_extent, "true upper bound"));
  // A component without data and without explicit bounds has an empty type map: it bounds nothing.
  if (old.lb_is_set)
    shifted(set_bounds_, old.lb, old.ub());
  else if (old.size > 0)
    shifted(bounds_, old.lb, old.ub());
}

void Bounds::add_blocks(std::int64_t count, std::int64_t stride, std::int64_t blocklength, const Layout& old) {
  if (count == 0) {
    depth_ = std::max(depth_, old.depth);
    return;
  }
  add_block(blocklength, 0, old);
  if (count == 1) return;
  const std::int64_t one = size_;
  add_block(blocklength, checked_mul(count - 1, stride, "(count - 1) * stride"), old);
  size_ = checked_mul(count, one, "count * size of a block");
}

void Bounds::finish(Layout& type, bool round_up) const {
  type.size = size_;
  type.alignment = alignment_;
  type.depth = deeper(depth_);
  if (data_.any) {
    type.true_lb = data_.low;
    type.true_extent = checked_sub(data_.high, data_.low, "true extent");
  }
  const bool set = set_bounds_.any;
  const Interval& decides = set ? set_bounds_ : bounds_;
  type.lb_is_set = type.ub_is_set = set;
  type.lb = decides.low;
  type.extent = checked_sub(decides.high, decides.low, "extent");
  if (round_up && !set) {
    const std::int64_t over = type.extent % alignment_;
    if (over != 0) type.extent = checked_add(type.extent, alignment_ - over, "extent rounded up to the alignment");
    (void)checked_add(type.lb, type.extent, "upper bound");
  }
}

}  // namespace gapless::layout

// Vectors that may end inside a block: bounded_vector, and circular_vector, which also wraps.
#include <algorithm>
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "layout/bounds.hpp"
#include "layout/layout.hpp"
#include "layout/strided_blocks.hpp"

namespace gapless::layout {
namespace {

void require_blocks(std::int64_t bound, std::int64_t blocklength, std::int64_t stride, const LayoutPtr& old) {
  if (!old) throw base::Error(base::Status::kInvalidArgument, "the old type is null");
  require(bound >= 0, "the bound must be at least 0", bound);
  require(blocklength >= 1, "the blocklength must be at least 1", blocklength);
  if (stride < blocklength)
    throw base::Error(base::Status::kInvalidArgument, "the stride must be at least the blocklength " +
                                                          std::to_string(blocklength) + ", not " +
                                                          std::to_string(stride));
}

}  // namespace

LayoutPtr bounded_vector(std::int64_t bound, std::int64_t blocklength, std::int64_t stride, LayoutPtr old) {
  require_blocks(bound, blocklength, stride, old);
  StridedBlocks blocks(old);
  blocks.add(0, bound, blocklength, stride);
  auto type = with_expansion(Combiner::kBoundedVector, std::move(old), blocks.finish());
  type->bound = bound;
  type->blocklength = blocklength;
  type->stride = stride;
  return type;
}

LayoutPtr circular_vector(std::int64_t total, std::int64_t start, std::int64_t bound, std::int64_t blocklength,
                          std::int64_t stride, LayoutPtr old) {
  require_blocks(bound, blocklength, stride, old);
  require(total >= 0, "the total must be at least 0", total);
  // An empty vector has no first element; its start is 0.
  require(start >= 0 && start < std::max<std::int64_t>(total, 1), "the start must lie inside the total", start);
  require(bound <= total, "the bound must not exceed the total", bound);
  StridedBlocks blocks(old);
  const std::int64_t before_wrap = std::min(bound, total - start), after_wrap = bound - before_wrap;
  blocks.add(start, before_wrap, blocklength, stride);
  if (after_wrap > 0) {
    // The wrap cuts a period `phase` elements after its start: the rest of the period's block comes first, then whole
    // periods again.
    const std::int64_t phase = before_wrap % stride, rest_of_period = stride - phase;
    if (phase < blocklength) {
      const std::int64_t piece = std::min(blocklength - phase, after_wrap);
      blocks.add(0, piece, piece, piece);
    }
    if (after_wrap > rest_of_period) blocks.add(rest_of_period, after_wrap - rest_of_period, blocklength, stride);
  }
  const std::int64_t extent = base::checked_mul(total, old->extent, "total * extent");
  auto type = with_expansion(Combiner::kCircularVector, std::move(old), resized(0, extent, blocks.finish()));
  type->total = total;
  type->start = start;
  type->bound = bound;
  type->blocklength = blocklength;
  type->stride = stride;
  return type;
}

}  // namespace gapless::layout

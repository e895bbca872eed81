// Constructors whose description has a constant size: named, contiguous, vector, hvector, resized, dup.
#include <utility>

#include "base/checked.hpp"
#include "layout/bounds.hpp"
#include "layout/layout.hpp"

namespace gapless::layout {
namespace {

std::shared_ptr<Layout> make(Combiner combiner, LayoutPtr old) {
  if (!old) throw base::Error(base::Status::kInvalidArgument, "the old type is null");
  auto type = std::make_shared<Layout>();
  type->combiner = combiner;
  type->children.push_back(std::move(old));
  return type;
}

void copy_bounds(Layout& type) {
  const Layout& old = *type.children[0];
  type.size = old.size;
  type.lb = old.lb;
  type.extent = old.extent;
  type.true_lb = old.true_lb;
  type.true_extent = old.true_extent;
  type.lb_is_set = old.lb_is_set;
  type.ub_is_set = old.ub_is_set;
  type.alignment = old.alignment;
  type.depth = deeper(old.depth);
}

LayoutPtr strided(Combiner combiner, std::int64_t count, std::int64_t blocklength, std::int64_t stride,
                  std::int64_t stride_bytes, LayoutPtr old) {
  require(count >= 0, "the count must be at least 0", count);
  require(blocklength >= 0, "the blocklength must be at least 0", blocklength);
  auto type = make(combiner, std::move(old));
  type->count = count;
  type->blocklength = blocklength;
  type->stride = stride;
  Bounds bounds;
  bounds.add_blocks(count, stride_bytes, blocklength, *type->children[0]);
  bounds.finish(*type);
  return type;
}

}  // namespace

const char* combiner_name(Combiner combiner) noexcept {
  static constexpr const char* kNames[kCombinerCount] = {
      "named",  "contiguous", "vector",  "hvector", "indexed", "hindexed",       "indexed_block",   "hindexed_block",
      "struct", "subarray",   "resized", "dup",     "darray",  "bounded_vector", "circular_vector", "bucket"};
  return kNames[static_cast<int>(combiner)];
}

LayoutPtr named(const Named& entry) {
  auto type = std::make_shared<Layout>();
  type->named = &entry;
  type->size = entry.size;
  type->extent = entry.extent;
  type->true_extent = entry.true_extent;
  type->alignment = entry.alignment;
  return type;
}

LayoutPtr contiguous(std::int64_t count, LayoutPtr old) {
  require(count >= 0, "the count must be at least 0", count);
  auto type = make(Combiner::kContiguous, std::move(old));
  type->count = count;
  Bounds bounds;
  bounds.add_block(count, 0, *type->children[0]);
  bounds.finish(*type);
  return type;
}

LayoutPtr vector(std::int64_t count, std::int64_t blocklength, std::int64_t stride, LayoutPtr old) {
  if (!old) throw base::Error(base::Status::kInvalidArgument, "the old type is null");
  // A stride that no second block uses may be anything.
  const std::int64_t bytes = count > 1 ? base::checked_mul(stride, old->extent, "stride * extent") : 0;
  return strided(Combiner::kVector, count, blocklength, stride, bytes, std::move(old));
}

LayoutPtr hvector(std::int64_t count, std::int64_t blocklength, std::int64_t stride_bytes, LayoutPtr old) {
  return strided(Combiner::kHvector, count, blocklength, stride_bytes, stride_bytes, std::move(old));
}

LayoutPtr resized(std::int64_t lb, std::int64_t extent, LayoutPtr old) {
  auto type = make(Combiner::kResized, std::move(old));
  copy_bounds(*type);
  (void)base::checked_add(lb, extent, "lower bound + extent");
  type->lb = lb;
  type->extent = extent;
  type->lb_is_set = type->ub_is_set = true;
  return type;
}

LayoutPtr dup(LayoutPtr old) {
  auto type = make(Combiner::kDup, std::move(old));
  copy_bounds(*type);
  return type;
}

}  // namespace gapless::layout

// bucket: slots of one width, each filled from its start with its own number of elements.
#include <string>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "layout/bounds.hpp"
#include "layout/layout.hpp"
#include "layout/strided_blocks.hpp"

namespace gapless::layout {

LayoutPtr bucket(std::int64_t stride, std::span<const std::int64_t> counts, LayoutPtr old) {
  if (!old) throw base::Error(base::Status::kInvalidArgument, "the old type is null");
  require(stride >= 0, "the stride of the buckets must be at least 0", stride);
  const auto buckets = static_cast<std::int64_t>(counts.size());
  const std::int64_t elements = base::checked_mul(buckets, stride, "number of buckets * stride");
  const std::int64_t extent = base::checked_mul(elements, old->extent, "number of buckets * stride * extent");
  std::vector<std::int64_t> displacements;
  displacements.reserve(counts.size());
  for (const std::int64_t count : counts) {
    if (count < 0 || count > stride)
      throw base::Error(base::Status::kInvalidArgument, "every count must lie between 0 and the stride " +
                                                            std::to_string(stride) + ", not " + std::to_string(count));
    displacements.push_back(static_cast<std::int64_t>(displacements.size()) * stride);
  }
  LayoutPtr filled = indexed(counts, displacements, old);
  auto type = with_expansion(Combiner::kBucket, std::move(old), resized(0, extent, filled));
  type->count = buckets;
  type->stride = stride;
  type->blocklengths = filled->blocklengths;
  return type;
}

}  // namespace gapless::layout

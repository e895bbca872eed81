// subarray: an n-dimensional box inside an n-dimensional array (MPI 4.1, section 5.1.3).
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "layout/bounds.hpp"
#include "layout/layout.hpp"

namespace gapless::layout {

LayoutPtr subarray(std::span<const std::int64_t> sizes, std::span<const std::int64_t> subsizes,
                   std::span<const std::int64_t> starts, Order order, LayoutPtr old) {
  using base::checked_add;
  using base::checked_mul;
  if (!old) throw base::Error(base::Status::kInvalidArgument, "the old type is null");
  const std::size_t dimensions = sizes.size();
  if (dimensions == 0 || subsizes.size() != dimensions || starts.size() != dimensions)
    throw base::Error(base::Status::kInvalidArgument,
                      "a subarray needs as many sizes as subsizes and starts, and at least one, not " +
                          std::to_string(dimensions) + ", " + std::to_string(subsizes.size()) + " and " +
                          std::to_string(starts.size()));
  auto type = std::make_shared<Layout>();
  type->combiner = Combiner::kSubarray;
  type->order = order;
  type->sizes.assign(sizes.begin(), sizes.end());
  type->subsizes.assign(subsizes.begin(), subsizes.end());
  type->starts.assign(starts.begin(), starts.end());

  // From the fastest dimension outwards: the box so far is one block of the next dimension.
  auto box = std::make_shared<Layout>(*old);
  std::int64_t step = old->extent;  // [bytes] between neighbours in this dimension
  std::int64_t start = 0;           // [bytes]
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::size_t d = order == Order::kC ? dimensions - 1 - i : i;
    require(sizes[d] >= 1, "every size of a subarray must be at least 1", sizes[d]);
    require(subsizes[d] >= 1 && subsizes[d] <= sizes[d], "every subsize must lie between 1 and its size", subsizes[d]);
    require(starts[d] >= 0 && starts[d] <= sizes[d] - subsizes[d], "every start must leave room for its subsize",
            starts[d]);
    auto row = std::make_shared<Layout>();
    Bounds bounds;
    bounds.add_blocks(subsizes[d], step, 1, *box);
    bounds.finish(*row);
    row->depth = old->depth;  // a row is a step on the way, not a constructor of its own
    box = std::move(row);
    start = checked_add(start, checked_mul(starts[d], step, "start * stride"), "start of the subarray");
    step = checked_mul(step, sizes[d], "size * stride");
  }
  type->size = box->size;
  type->true_lb = box->size > 0 ? checked_add(box->true_lb, start, "true lower bound") : 0;
  type->true_extent = box->true_extent;
  type->lb = 0;
  type->extent = step;
  type->lb_is_set = type->ub_is_set = true;
  type->alignment = old->alignment;
  type->depth = deeper(old->depth);
  type->children.push_back(std::move(old));
  return type;
}

}  // namespace gapless::layout

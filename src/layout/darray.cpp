// darray: what one process of a grid owns of an array that is distributed block by block (MPI 4.1, section 5.1.4).
#include <algorithm>
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "layout/bounds.hpp"
#include "layout/layout.hpp"
#include "layout/strided_blocks.hpp"

namespace gapless::layout {
namespace {

// One dimension. A process owns every process_count-th block, starting with the block of its own coordinate.
struct Dimension {
  std::int64_t size;         // [elements] of the array
  std::int64_t blocklength;  // [elements]
  std::int64_t process_count, coordinate;
};

// The blocklength that an argument stands for; a dimension that is not distributed is one block.
std::int64_t blocklength_of(Distribution distribution, std::int64_t argument, std::int64_t size,
                            std::int64_t process_count) {
  if (distribution == Distribution::kNone) {
    require(process_count == 1, "a dimension that is not distributed needs 1 process in the grid", process_count);
    return size;
  }
  const std::int64_t smallest = size / process_count + (size % process_count != 0);  // that covers all elements
  if (argument == kDefaultDistribution) return distribution == Distribution::kBlock ? smallest : 1;
  require(argument > 0, "every distribution argument must be at least 1, or the default", argument);
  if (distribution == Distribution::kBlock && argument < smallest)
    throw base::Error(base::Status::kInvalidArgument, "blocks of " + std::to_string(argument) + " elements on " +
                                                          std::to_string(process_count) +
                                                          " processes do not hold all " + std::to_string(size));
  return argument;
}

// What the process owns of one dimension, whose neighbours lie an extent of `box` apart.
LayoutPtr distributed(const Dimension& dimension, const LayoutPtr& box) {
  StridedBlocks owned(box);
  const std::int64_t blocks = dimension.size / dimension.blocklength + (dimension.size % dimension.blocklength != 0);
  if (dimension.coordinate < blocks) {
    const std::int64_t first = dimension.coordinate * dimension.blocklength;  // less than the size
    const std::int64_t blocklength = std::min(dimension.blocklength, dimension.size);
    std::int64_t stride;
    // A stride beyond the array separates no two blocks in it, so any such stride is right.
    if (__builtin_mul_overflow(dimension.process_count, dimension.blocklength, &stride)) stride = dimension.size;
    owned.add(first, dimension.size - first, blocklength, stride);
  }
  return resized(0, base::checked_mul(dimension.size, box->extent, "size * extent"), owned.finish());
}

void require_lists(std::size_t sizes, std::size_t distributions, std::size_t arguments, std::size_t grid) {
  if (sizes == 0 || distributions != sizes || arguments != sizes || grid != sizes)
    throw base::Error(base::Status::kInvalidArgument,
                      "a darray needs as many sizes as distributions, distribution arguments and grid extents, and at "
                      "least one, not " +
                          std::to_string(sizes) + ", " + std::to_string(distributions) + ", " +
                          std::to_string(arguments) + " and " + std::to_string(grid));
}

}  // namespace

LayoutPtr darray(std::int64_t process_count, std::int64_t rank, std::span<const std::int64_t> sizes,
                 std::span<const Distribution> distributions, std::span<const std::int64_t> distribution_arguments,
                 std::span<const std::int64_t> process_grid, Order order, LayoutPtr old) {
  if (!old) throw base::Error(base::Status::kInvalidArgument, "the old type is null");
  const std::size_t dimensions = sizes.size();
  require_lists(dimensions, distributions.size(), distribution_arguments.size(), process_grid.size());
  require(process_count >= 1, "the number of processes must be at least 1", process_count);
  require(rank >= 0 && rank < process_count, "the rank must lie between 0 and the number of processes", rank);
  std::int64_t processes = 1;
  for (const std::int64_t extent : process_grid) {
    require(extent >= 1, "every extent of the process grid must be at least 1", extent);
    processes = base::checked_mul(processes, extent, "product of the process grid");
  }
  if (processes != process_count)
    throw base::Error(base::Status::kInvalidArgument, "the process grid must hold " + std::to_string(process_count) +
                                                          " processes, not " + std::to_string(processes));
  // Ranks are in C order in the grid, whatever the order of the array: the last coordinate runs fastest.
  std::vector<std::int64_t> coordinates(dimensions);
  std::int64_t left = rank;
  for (std::size_t d = dimensions; d-- > 0;) {
    coordinates[d] = left % process_grid[d];
    left /= process_grid[d];
  }
  // From the fastest dimension outwards: what is owned so far is one element of the next dimension.
  LayoutPtr box = old;
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::size_t d = order == Order::kC ? dimensions - 1 - i : i;
    require(sizes[d] >= 1, "every size of a darray must be at least 1", sizes[d]);
    const std::int64_t blocklength =
        blocklength_of(distributions[d], distribution_arguments[d], sizes[d], process_grid[d]);
    box = distributed({sizes[d], blocklength, process_grid[d], coordinates[d]}, box);
  }
  auto type = with_expansion(Combiner::kDarray, std::move(old), std::move(box));
  type->process_count = process_count;
  type->rank = rank;
  type->sizes.assign(sizes.begin(), sizes.end());
  type->distributions.assign(distributions.begin(), distributions.end());
  type->distribution_arguments.assign(distribution_arguments.begin(), distribution_arguments.end());
  type->process_grid.assign(process_grid.begin(), process_grid.end());
  type->order = order;
  return type;
}

}  // namespace gapless::layout

// A Layout is the description of a datatype as its constructors gave it: an immutable tree. MPI 4.1, chapter 5.
// All lengths and displacements are in bytes unless the field says elements; every product was checked for overflow.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/numbers.hpp"
#include "layout/named.hpp"

namespace gapless::layout {

enum class Combiner {
  kNamed,
  kContiguous,
  kVector,
  kHvector,
  kIndexed,
  kHindexed,
  kIndexedBlock,
  kHindexedBlock,
  kStruct,
  kSubarray,
  kResized,
  kDup,
  kDarray,
  kBoundedVector,
  kCircularVector,
  kBucket,
};
inline constexpr int kCombinerCount = 16;
const char* combiner_name(Combiner combiner) noexcept;

enum class Order { kC, kFortran };
enum class Distribution { kNone, kBlock, kCyclic };
inline constexpr std::int64_t kDefaultDistribution = -1;  // darray: the library chooses the length of a block

struct Layout;
using LayoutPtr = std::shared_ptr<const Layout>;

struct Layout {
  Combiner combiner = Combiner::kNamed;

  // Parameters, as given to the constructor; which are used depends on the combiner.
  const Named* named = nullptr;  // named
  std::int64_t count = 0;        // contiguous, vector, hvector; number of blocks of the lists and the struct
  std::int64_t blocklength = 0;  // [elements] vector, hvector, indexed_block, hindexed_block, bounded, circular vector
  std::int64_t stride = 0;       // [elements] vector, bounded, circular vector; [bytes] hvector; [elements] bucket
  std::int64_t bound = 0;        // [elements] bounded, circular vector: where the blocks end
  std::int64_t total = 0;        // [elements] circular vector: where it wraps
  std::int64_t start = 0;        // [elements] circular vector: where it begins
  base::Numbers blocklengths;    // [elements] indexed, hindexed, struct; bucket: its counts
  base::Numbers displacements;   // indexed, indexed_block [elements]; hindexed, hindexed_block, struct [bytes]
  std::vector<std::int64_t> sizes, subsizes, starts;  // [elements] subarray; darray: sizes only
  Order order = Order::kC;                            // subarray, darray
  std::int64_t process_count = 0, rank = 0;           // darray
  std::vector<Distribution> distributions;            // darray, one a dimension, like the next two
  std::vector<std::int64_t> distribution_arguments;   // darray
  std::vector<std::int64_t> process_grid;             // darray
  std::vector<LayoutPtr> children;                    // one; struct: one a block; named: none
  // darray, bounded and circular vector, bucket: the same type map and bounds made from the other constructors, except
  // that no struct in it is rounded up. Null for all other combiners.
  LayoutPtr expansion;

  // Derived. Bounds follow the rules of MPI for lb and ub: a resized component decides, and only an
  // undecided upper bound is rounded up to the alignment (struct).
  std::int64_t size = 0;         // bytes of data
  std::int64_t lb = 0;           // lower bound
  std::int64_t extent = 0;       // ub - lb, may be negative after resized
  std::int64_t true_lb = 0;      // smallest displacement of a byte of data; 0 if size is 0
  std::int64_t true_extent = 0;  // from true_lb to the end of the last byte of data
  bool lb_is_set = false;        // by a resized somewhere inside
  bool ub_is_set = false;
  std::int64_t alignment = 1;
  int depth = 1;  // constructors on the longest path, named and those of expansions included

  std::int64_t ub() const noexcept { return lb + extent; }
};

// Constructors. Each throws base::Error: kInvalidArgument for an argument that MPI forbids, kOverflow for a size,
// bound or displacement beyond 63 bits. Cost: linear in the arguments.
LayoutPtr named(const Named& type);
LayoutPtr contiguous(std::int64_t count, LayoutPtr old);
LayoutPtr vector(std::int64_t count, std::int64_t blocklength, std::int64_t stride_elements, LayoutPtr old);
LayoutPtr hvector(std::int64_t count, std::int64_t blocklength, std::int64_t stride_bytes, LayoutPtr old);
LayoutPtr indexed(std::span<const std::int64_t> blocklengths, std::span<const std::int64_t> displacements_elements,
                  LayoutPtr old);
LayoutPtr hindexed(std::span<const std::int64_t> blocklengths, std::span<const std::int64_t> displacements_bytes,
                   LayoutPtr old);
LayoutPtr indexed_block(std::int64_t blocklength, std::span<const std::int64_t> displacements_elements, LayoutPtr old);
LayoutPtr hindexed_block(std::int64_t blocklength, std::span<const std::int64_t> displacements_bytes, LayoutPtr old);
LayoutPtr structure(std::span<const std::int64_t> blocklengths, std::span<const std::int64_t> displacements_bytes,
                    std::span<const LayoutPtr> types);
LayoutPtr subarray(std::span<const std::int64_t> sizes, std::span<const std::int64_t> subsizes,
                   std::span<const std::int64_t> starts, Order order, LayoutPtr old);
LayoutPtr resized(std::int64_t lb_bytes, std::int64_t extent_bytes, LayoutPtr old);
LayoutPtr dup(LayoutPtr old);
// The part of an array that process `rank` of a grid owns (MPI 4.1, section 5.1.4). Each dimension of the array is
// distributed over the processes of one dimension of the grid; ranks are in C order in the grid, whatever the order of
// the array. An argument is the length of a block [elements], or kDefaultDistribution: the smallest that covers the
// dimension (block), or 1 (cyclic); with kNone it is ignored. The extent is that of the whole array, from 0, even if
// the process owns less or nothing.
LayoutPtr darray(std::int64_t process_count, std::int64_t rank, std::span<const std::int64_t> sizes,
                 std::span<const Distribution> distributions, std::span<const std::int64_t> distribution_arguments,
                 std::span<const std::int64_t> process_grid, Order order, LayoutPtr old);

// Types that MPI lacks (Traeff, Rougier, Hunold, ICS 2014). All numbers in elements of `old`, an extent apart.
// The elements t in [0, bound) with t mod stride < blocklength, each at t. 0 <= bound, 1 <= blocklength <= stride.
// The bounds are those of the elements, as of an indexed type.
LayoutPtr bounded_vector(std::int64_t bound, std::int64_t blocklength, std::int64_t stride, LayoutPtr old);
// The same elements, each at (start + t) mod total; bound <= total, 0 <= start < total (total 0: start 0). Lower bound
// 0, extent: total.
LayoutPtr circular_vector(std::int64_t total, std::int64_t start, std::int64_t bound, std::int64_t blocklength,
                          std::int64_t stride, LayoutPtr old);
// counts[b] elements at b * stride, 0 <= counts[b] <= stride. Lower bound 0, extent: that of all buckets. The
// counterpart of indexed_block.
LayoutPtr bucket(std::int64_t stride, std::span<const std::int64_t> counts, LayoutPtr old);

}  // namespace gapless::layout

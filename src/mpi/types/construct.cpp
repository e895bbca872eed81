#include "mpi/types/construct.hpp"

#include <vector>

namespace gapless::mpi {

namespace {

using layout::LayoutPtr;

LayoutPtr subarray(Arguments& arguments, const LayoutPtr& child) {
  const std::int64_t dimensions = arguments.small();
  // The small form has sizes, subsizes, starts between the number of dimensions and the order, the large one elsewhere.
  const auto sizes = arguments.integers(dimensions);
  const auto subsizes = arguments.integers(dimensions);
  const auto starts = arguments.integers(dimensions);
  const std::int64_t order = arguments.small();
  if (!arguments.complete()) return nullptr;
  return layout::subarray(sizes, subsizes, starts, order == MPI_ORDER_C ? layout::Order::kC : layout::Order::kFortran,
                          child);
}

LayoutPtr darray(Arguments& arguments, const LayoutPtr& child) {
  const auto process_count = arguments.small(), rank = arguments.small(), dimensions = arguments.small();
  // The large form has only the sizes elsewhere.
  const auto sizes = arguments.integers(dimensions);
  const auto distribution_codes = arguments.smalls(dimensions), codes = arguments.smalls(dimensions);
  const auto grid = arguments.smalls(dimensions);
  const auto order = arguments.small();
  if (!arguments.complete()) return nullptr;
  std::vector<layout::Distribution> distributions;
  for (const std::int64_t code : distribution_codes) {
    if (code != MPI_DISTRIBUTE_NONE && code != MPI_DISTRIBUTE_BLOCK && code != MPI_DISTRIBUTE_CYCLIC) return nullptr;
    distributions.push_back(code == MPI_DISTRIBUTE_NONE    ? layout::Distribution::kNone
                            : code == MPI_DISTRIBUTE_BLOCK ? layout::Distribution::kBlock
                                                           : layout::Distribution::kCyclic);
  }
  std::vector<std::int64_t> distribution_arguments;
  for (const std::int64_t code : codes)
    distribution_arguments.push_back(code == MPI_DISTRIBUTE_DFLT_DARG ? layout::kDefaultDistribution : code);
  return layout::darray(process_count, rank, sizes, distributions, distribution_arguments, grid,
                        order == MPI_ORDER_C ? layout::Order::kC : layout::Order::kFortran, child);
}

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
// MPI 4.1, 6.9.4: laid out as the C struct { value; index; }, with the holes that alignment makes. Named types only.
LayoutPtr value_index(std::span<const LayoutPtr> children) {
  if (children.size() != 2) return nullptr;
  const std::int64_t alignment = children[1]->alignment;
  const std::int64_t displacement = (children[0]->extent + alignment - 1) / alignment * alignment;
  const std::int64_t lengths[] = {1, 1}, displacements[] = {0, displacement};
  return layout::structure(lengths, displacements, children);
}
#endif

}  // namespace

LayoutPtr construct(const Contents& contents, std::span<const LayoutPtr> children) {
  Arguments arguments(contents);
  const LayoutPtr child = children.empty() ? nullptr : children.front();
  const bool is_struct = contents.combiner == MPI_COMBINER_STRUCT || contents.combiner == kStructInteger;
  if (child == nullptr && !is_struct) return nullptr;
  switch (contents.combiner) {
    case MPI_COMBINER_DUP:
      return layout::dup(child);
    case MPI_COMBINER_CONTIGUOUS: {
      const auto count = arguments.integer();
      return arguments.complete() ? layout::contiguous(count, child) : nullptr;
    }
    case MPI_COMBINER_VECTOR: {
      const auto count = arguments.integer(), length = arguments.integer(), stride = arguments.integer();
      return arguments.complete() ? layout::vector(count, length, stride, child) : nullptr;
    }
    case MPI_COMBINER_HVECTOR: {
      const auto count = arguments.integer(), length = arguments.integer(), stride = arguments.address();
      return arguments.complete() ? layout::hvector(count, length, stride, child) : nullptr;
    }
    case kHvectorInteger: {
      const auto count = arguments.small(), length = arguments.small(), stride = arguments.small();
      return arguments.complete() ? layout::hvector(count, length, stride, child) : nullptr;
    }
    case MPI_COMBINER_INDEXED: {
      const auto count = arguments.integer();
      const auto lengths = arguments.integers(count), displacements = arguments.integers(count);
      return arguments.complete() ? layout::indexed(lengths, displacements, child) : nullptr;
    }
    case MPI_COMBINER_HINDEXED: {
      const auto count = arguments.integer();
      const auto lengths = arguments.integers(count), displacements = arguments.addresses(count);
      return arguments.complete() ? layout::hindexed(lengths, displacements, child) : nullptr;
    }
    case kHindexedInteger: {
      const auto count = arguments.small();
      const auto lengths = arguments.smalls(count), displacements = arguments.smalls(count);
      return arguments.complete() ? layout::hindexed(lengths, displacements, child) : nullptr;
    }
    case MPI_COMBINER_INDEXED_BLOCK: {
      const auto count = arguments.integer(), length = arguments.integer();
      const auto displacements = arguments.integers(count);
      return arguments.complete() ? layout::indexed_block(length, displacements, child) : nullptr;
    }
    case MPI_COMBINER_HINDEXED_BLOCK: {
      const auto count = arguments.integer(), length = arguments.integer();
      const auto displacements = arguments.addresses(count);
      return arguments.complete() ? layout::hindexed_block(length, displacements, child) : nullptr;
    }
    case MPI_COMBINER_STRUCT: {
      const auto count = arguments.integer();
      const auto lengths = arguments.integers(count), displacements = arguments.addresses(count);
      const bool whole = arguments.complete() && children.size() == static_cast<std::size_t>(count);
      return whole ? layout::structure(lengths, displacements, children) : nullptr;
    }
    case kStructInteger: {
      const auto count = arguments.small();
      const auto lengths = arguments.smalls(count), displacements = arguments.smalls(count);
      const bool whole = arguments.complete() && children.size() == static_cast<std::size_t>(count);
      return whole ? layout::structure(lengths, displacements, children) : nullptr;
    }
    case MPI_COMBINER_SUBARRAY:
      return subarray(arguments, child);
    case MPI_COMBINER_DARRAY:
      return darray(arguments, child);
    case MPI_COMBINER_RESIZED: {
      const auto lb = arguments.address(), extent = arguments.address();
      return arguments.complete() ? layout::resized(lb, extent, child) : nullptr;
    }
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
    case MPI_COMBINER_VALUE_INDEX:
      return value_index(children);
#endif
    default:
      return nullptr;
  }
}

}  // namespace gapless::mpi

#include "ext/with_child.hpp"

#include <vector>

#include "base/status.hpp"

namespace gapless::ext {

layout::LayoutPtr with_child(const layout::Layout& type, const layout::LayoutPtr& child) {
  using layout::Combiner;
  const std::vector<std::int64_t> lengths = type.blocklengths.to_vector(), places = type.displacements.to_vector();
  switch (type.combiner) {
    case Combiner::kContiguous:
      return layout::contiguous(type.count, child);
    case Combiner::kVector:
      return layout::vector(type.count, type.blocklength, type.stride, child);
    case Combiner::kHvector:
      return layout::hvector(type.count, type.blocklength, type.stride, child);
    case Combiner::kIndexed:
      return layout::indexed(lengths, places, child);
    case Combiner::kHindexed:
      return layout::hindexed(lengths, places, child);
    case Combiner::kIndexedBlock:
      return layout::indexed_block(type.blocklength, places, child);
    case Combiner::kHindexedBlock:
      return layout::hindexed_block(type.blocklength, places, child);
    case Combiner::kStruct:
      return layout::structure(lengths, places, std::vector<layout::LayoutPtr>(type.children.size(), child));
    case Combiner::kSubarray:
      return layout::subarray(type.sizes, type.subsizes, type.starts, type.order, child);
    case Combiner::kResized:
      return layout::resized(type.lb, type.extent, child);
    case Combiner::kDup:
      return layout::dup(child);
    case Combiner::kDarray:
      return layout::darray(type.process_count, type.rank, type.sizes, type.distributions, type.distribution_arguments,
                            type.process_grid, type.order, child);
    case Combiner::kBoundedVector:
      return layout::bounded_vector(type.bound, type.blocklength, type.stride, child);
    case Combiner::kCircularVector:
      return layout::circular_vector(type.total, type.start, type.bound, type.blocklength, type.stride, child);
    case Combiner::kBucket:
      return layout::bucket(type.stride, lengths, child);
    case Combiner::kNamed:
      break;
  }
  throw base::Error(base::Status::kInvalidArgument, "a named type has no child");
}

}  // namespace gapless::ext

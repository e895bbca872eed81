#include "ext/type_builder.hpp"

#include "base/checked.hpp"
#include "ext/basic_types.hpp"
#include "ext/error.hpp"
#include "mpi/abi/library.hpp"
#include "mpi/types/contents.hpp"

namespace gapless::ext {

namespace {

using layout::Combiner;
using layout::Layout;
using layout::LayoutPtr;

mpi::ReportedBounds bounds_of(MPI_Datatype type) {
  mpi::ReportedBounds bounds;
  bounds.size = -1;  // an error that is not told: nothing is written
  if (!mpi::get_bounds(type, bounds) || bounds.size < 0) throw Raised{MPI_ERR_TYPE};
  return bounds;
}

}  // namespace

LayoutPtr TypeBuilder::leaf(MPI_Datatype type) {
  const mpi::ReportedBounds bounds = bounds_of(type);
  auto made = std::make_shared<Layout>();
  made->size = bounds.size;
  made->lb = bounds.lb;
  made->extent = bounds.extent;
  made->true_lb = bounds.true_lb;
  made->true_extent = bounds.true_extent;
  // Bounds without data are there because somebody has set them.
  made->lb_is_set = made->ub_is_set = bounds.size == 0 && (bounds.lb != 0 || bounds.extent != 0);
  known_.emplace(made.get(), type);
  leaves_.push_back(made);
  return made;
}

OwnedType TypeBuilder::build(const LayoutPtr& layout) {
  const MPI_Datatype made = visit(*layout);
  for (OwnedType& part : parts_) {
    if (part.get() != made) continue;
    std::erase_if(known_, [made](const auto& known) { return known.second == made; });
    return OwnedType(part.release());
  }
  return make_dup(made);  // a leaf: what is returned is to be freed
}

MPI_Datatype TypeBuilder::visit(const Layout& layout) {
  if (const auto found = known_.find(&layout); found != known_.end()) return found->second;
  if (const MPI_Datatype leaf = predefined_of(layout); leaf != MPI_DATATYPE_NULL) return leaf;
  if (layout.expansion != nullptr) return visit(*layout.expansion);
  parts_.push_back(construct(layout));
  MPI_Datatype made = parts_.back().get();
  const mpi::ReportedBounds bounds = bounds_of(made);
  if (bounds.lb != layout.lb || bounds.extent != layout.extent) {
    parts_.push_back(make_resized(layout.lb, layout.extent, made));
    made = parts_.back().get();
  }
  known_.emplace(&layout, made);
  return made;
}

OwnedType TypeBuilder::construct(const Layout& layout) {
  if (layout.combiner == Combiner::kStruct) return construct_struct(layout);
  const MPI_Datatype old = visit(*layout.children.front());
  const std::vector<std::int64_t> lengths = layout.blocklengths.to_vector(), places = layout.displacements.to_vector();
  switch (layout.combiner) {
    case Combiner::kContiguous:
      return make_contiguous(layout.count, old);
    case Combiner::kVector:
      return make_vector(layout.count, layout.blocklength, layout.stride, old);
    case Combiner::kHvector:
      return make_hvector(layout.count, layout.blocklength, layout.stride, old);
    case Combiner::kIndexed:
      return make_indexed(lengths, places, old);
    case Combiner::kHindexed:
      return make_hindexed(lengths, places, old);
    case Combiner::kIndexedBlock:
      return make_indexed_block(layout.blocklength, places, old);
    case Combiner::kHindexedBlock:
      return make_hindexed_block(layout.blocklength, places, old);
    case Combiner::kResized:
      return make_resized(layout.lb, layout.extent, old);
    case Combiner::kDup:
      return make_dup(old);
    default:
      throw base::Error(base::Status::kInvalidArgument, "no constructor is made for this part of a type");
  }
}

OwnedType TypeBuilder::construct_struct(const Layout& layout) {
  std::vector<MPI_Datatype> members;
  members.reserve(layout.children.size());
  for (const LayoutPtr& child : layout.children) members.push_back(visit(*child));
  return make_struct(layout.blocklengths.to_vector(), layout.displacements.to_vector(), members);
}

}  // namespace gapless::ext

#include "ext/type_builder.hpp"

#include <algorithm>

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

// True unless every copy of the child is placed by a number of bytes: then its bounds decide nothing but those of what
// is made of it.
bool places_by_extent(const Layout& layout) {
  switch (layout.combiner) {
    case Combiner::kHvector:
    case Combiner::kHindexedBlock:
      return layout.blocklength > 1;
    case Combiner::kHindexed:
      return std::any_of(layout.blocklengths.begin(), layout.blocklengths.end(), [](std::int64_t n) { return n > 1; });
    case Combiner::kContiguous:
      return layout.count > 1;
    case Combiner::kResized:
      return false;
    default:
      return true;
  }
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
  leaves_.emplace(made.get(), Leaf{made, type});
  return made;
}

OwnedType TypeBuilder::build(const LayoutPtr& layout) {
  const MPI_Datatype made = visit(*layout, Bounds::kTheLayouts);
  for (OwnedType& part : parts_) {
    if (part.get() != made) continue;
    for (auto* known : {&known_, &with_bounds_})
      std::erase_if(*known, [made](const auto& one) { return one.second == made; });
    return OwnedType(part.release());
  }
  return make_dup(made);  // a leaf: what is returned is to be freed
}

MPI_Datatype TypeBuilder::visit(const Layout& layout, Bounds bounds) {
  if (const auto leaf = leaves_.find(&layout); leaf != leaves_.end()) return leaf->second.type;
  if (const MPI_Datatype leaf = predefined_of(layout); leaf != MPI_DATATYPE_NULL) return leaf;
  if (layout.expansion != nullptr) return visit(*layout.expansion, bounds);
  auto known = known_.find(&layout);
  if (known == known_.end()) {
    parts_.push_back(construct(layout));
    known = known_.emplace(&layout, parts_.back().get()).first;
  }
  return bounds == Bounds::kAny ? known->second : with_bounds(layout, known->second);
}

MPI_Datatype TypeBuilder::with_bounds(const Layout& layout, MPI_Datatype made) {
  if (const auto known = with_bounds_.find(&layout); known != with_bounds_.end()) return known->second;
  const mpi::ReportedBounds bounds = bounds_of(made);
  if (bounds.lb != layout.lb || bounds.extent != layout.extent) {
    parts_.push_back(make_resized(layout.lb, layout.extent, made));
    made = parts_.back().get();
  }
  with_bounds_.emplace(&layout, made);
  return made;
}

OwnedType TypeBuilder::construct(const Layout& layout) {
  if (layout.combiner == Combiner::kStruct) return construct_struct(layout);
  const MPI_Datatype old =
      visit(*layout.children.front(), places_by_extent(layout) ? Bounds::kTheLayouts : Bounds::kAny);
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
  for (std::size_t k = 0; k < layout.children.size(); ++k)
    members.push_back(visit(*layout.children[k], layout.blocklengths[k] > 1 ? Bounds::kTheLayouts : Bounds::kAny));
  return make_struct(layout.blocklengths.to_vector(), layout.displacements.to_vector(), members);
}

}  // namespace gapless::ext

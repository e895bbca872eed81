// Layout -> MPI datatype, by the library's constructors.
#pragma once

#include <unordered_map>
#include <vector>

#include "ext/constructors.hpp"
#include "layout/layout.hpp"

namespace gapless::ext {

// Builds layouts whose leaves are basic types (basic_types.hpp) or types of the program, and which have no subarray and
// no darray in them. Throws what the constructors throw.
class TypeBuilder {
 public:
  // A layout that stands for a type of the program, of which nothing is known but what the library says of its bounds.
  layout::LayoutPtr leaf(MPI_Datatype type);
  // A type with the type map and the bounds of the layout, not committed, the caller's. It has one constructor for each
  // of the layout, and one more where the library has other bounds than the layout for what is placed by its extent.
  OwnedType build(const layout::LayoutPtr& layout);

 private:
  enum class Bounds { kAny, kTheLayouts };
  MPI_Datatype visit(const layout::Layout& layout, Bounds bounds);
  MPI_Datatype with_bounds(const layout::Layout& layout, MPI_Datatype made);
  OwnedType construct(const layout::Layout& layout);
  OwnedType construct_struct(const layout::Layout& layout);
  std::unordered_map<const layout::Layout*, MPI_Datatype> known_, with_bounds_;
  struct Leaf {
    layout::LayoutPtr layout;
    MPI_Datatype type;
  };
  std::unordered_map<const layout::Layout*, Leaf> leaves_;
  std::vector<OwnedType> parts_;
};

}  // namespace gapless::ext

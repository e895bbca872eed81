// Shared by darray, bounded and circular vector: blocks at a stride, the last of which may be cut short.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "layout/layout.hpp"

namespace gapless::layout {

// Builds the description of such elements of one type from MPI's constructors, in type-map order. The cost and the size
// of the description do not depend on the number of elements.
class StridedBlocks {
 public:
  explicit StridedBlocks(LayoutPtr old) : old_(std::move(old)) {}
  // The elements t in [0, bound) with t mod stride < blocklength, each at (at + t) extents.
  // 0 <= bound, 1 <= blocklength <= stride, 0 <= at. A stride that no second block uses is not multiplied.
  void add(std::int64_t at, std::int64_t bound, std::int64_t blocklength, std::int64_t stride);
  // The type of all elements added, with its natural bounds: those of the same elements as one indexed type.
  LayoutPtr finish() const;

 private:
  void add_blocks(std::int64_t at, LayoutPtr part);
  LayoutPtr old_;
  std::vector<std::int64_t> displacements_;  // [bytes]
  std::vector<LayoutPtr> parts_;
};

// A type of this combiner over `old` with the type map and the bounds of `expansion`.
std::shared_ptr<Layout> with_expansion(Combiner combiner, LayoutPtr old, LayoutPtr expansion);

}  // namespace gapless::layout

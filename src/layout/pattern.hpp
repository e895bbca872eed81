// What darray, bounded and circular vector have in common: blocks at a stride, of which the last may be cut short.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "layout/layout.hpp"

namespace gapless::layout {

// Describes such elements of one type by the constructors of MPI, in type-map order. The cost and the size of the
// description do not depend on the number of elements.
class Pattern {
 public:
  explicit Pattern(LayoutPtr old) : old_(std::move(old)) {}
  // The elements t in [0, bound) with t mod stride < blocklength, each at (at + t) extents.
  // 0 <= bound, 1 <= blocklength <= stride, 0 <= at. A stride that no second block uses is not multiplied.
  void add(std::int64_t at, std::int64_t bound, std::int64_t blocklength, std::int64_t stride);
  // All that was added, with its natural bounds: those of the same elements as one indexed type.
  LayoutPtr finish() const;

 private:
  void add_part(std::int64_t at, LayoutPtr part);
  LayoutPtr old_;
  std::vector<std::int64_t> displacements_;  // [bytes]
  std::vector<LayoutPtr> parts_;
};

// A type of this combiner over `old` that is, bounds included, what `expansion` is.
std::shared_ptr<Layout> expanding(Combiner combiner, LayoutPtr old, LayoutPtr expansion);

}  // namespace gapless::layout

#include "layout/strided_blocks.hpp"

#include <utility>

#include "base/checked.hpp"
#include "layout/bounds.hpp"

namespace gapless::layout {

void StridedBlocks::add_blocks(std::int64_t at, LayoutPtr part) {
  displacements_.push_back(base::checked_mul(at, old_->extent, "displacement * extent"));
  parts_.push_back(std::move(part));
}

void StridedBlocks::add(std::int64_t at, std::int64_t bound, std::int64_t blocklength, std::int64_t stride) {
  // Every whole period holds a whole block; the rest of the bound holds one, a piece of one, or nothing.
  const std::int64_t periods = bound / stride, left = bound % stride;
  const std::int64_t blocks = periods + (left >= blocklength ? 1 : 0);
  if (blocks == 1) {
    add_blocks(at, contiguous(blocklength, old_));
  } else if (blocks > 1) {
    const std::int64_t bytes = base::checked_mul(stride, old_->extent, "stride * extent");
    add_blocks(at, hvector(blocks, blocklength, bytes, old_));
  }
  if (left > 0 && left < blocklength)
    add_blocks(base::checked_add(at, periods * stride, "displacement of the last block"), contiguous(left, old_));
}

LayoutPtr StridedBlocks::finish() const {
  if (parts_.empty()) return contiguous(0, old_);
  if (parts_.size() == 1 && displacements_[0] == 0) return parts_[0];
  // A struct, except that its upper bound is not rounded up: the elements are all of one type.
  auto type = std::make_shared<Layout>();
  type->combiner = Combiner::kStruct;
  type->count = static_cast<std::int64_t>(parts_.size());
  type->blocklengths = base::Numbers(std::vector<std::int64_t>(parts_.size(), 1));
  type->displacements = base::Numbers(displacements_, 4);
  type->children = parts_;
  Bounds bounds;
  for (std::size_t i = 0; i < parts_.size(); ++i) bounds.add_block(1, displacements_[i], *parts_[i]);
  bounds.finish(*type);
  return type;
}

std::shared_ptr<Layout> with_expansion(Combiner combiner, LayoutPtr old, LayoutPtr expansion) {
  auto type = std::make_shared<Layout>();
  type->combiner = combiner;
  type->children.push_back(std::move(old));
  type->size = expansion->size;
  type->lb = expansion->lb;
  type->extent = expansion->extent;
  type->true_lb = expansion->true_lb;
  type->true_extent = expansion->true_extent;
  type->lb_is_set = expansion->lb_is_set;
  type->ub_is_set = expansion->ub_is_set;
  type->alignment = expansion->alignment;
  type->depth = deeper(expansion->depth);
  type->expansion = std::move(expansion);
  return type;
}

}  // namespace gapless::layout

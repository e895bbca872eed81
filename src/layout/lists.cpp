// Constructors that take lists of blocks: indexed, hindexed, indexed_block, hindexed_block, struct.
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "layout/bounds.hpp"
#include "layout/layout.hpp"

namespace gapless::layout {
namespace {

using Numbers = std::span<const std::int64_t>;

void require_equal_lengths(std::size_t a, std::size_t b, const char* what) {
  if (a != b)
    throw base::Error(base::Status::kInvalidArgument, std::string("lists of unequal lengths: ") + what + ": " +
                                                          std::to_string(a) + " and " + std::to_string(b));
}

void require_blocklengths(Numbers blocklengths) {
  for (const std::int64_t blocklength : blocklengths)
    require(blocklength >= 0, "every blocklength must be at least 0", blocklength);
}

// `unit`: bytes in a displacement of 1. `blocklength_of(i)`: of block i.
template <class BlocklengthOf>
LayoutPtr list(Combiner combiner, Numbers displacements, std::int64_t unit, BlocklengthOf blocklength_of, LayoutPtr old,
               std::shared_ptr<Layout> type) {
  type->combiner = combiner;
  type->count = static_cast<std::int64_t>(displacements.size());
  type->displacements = base::Numbers(displacements, 4);  // at least 4 bytes each: kernels can read them as they are
  Bounds bounds;
  bounds.add_block(0, 0, *old);  // the depth counts even where no block does
  for (std::size_t i = 0; i < displacements.size(); ++i) {
    const std::int64_t blocklength = blocklength_of(i);
    if (blocklength > 0)
      bounds.add_block(blocklength, base::checked_mul(displacements[i], unit, "displacement * extent"), *old);
  }
  bounds.finish(*type);
  type->children.push_back(std::move(old));
  return type;
}

LayoutPtr with_blocklengths(Combiner combiner, Numbers blocklengths, Numbers displacements, bool in_bytes,
                            LayoutPtr old) {
  if (!old) throw base::Error(base::Status::kInvalidArgument, "the old type is null");
  require_equal_lengths(blocklengths.size(), displacements.size(), "blocklengths and displacements");
  require_blocklengths(blocklengths);
  auto type = std::make_shared<Layout>();
  type->blocklengths = base::Numbers(blocklengths);
  const std::int64_t unit = in_bytes ? 1 : old->extent;
  return list(combiner, displacements, unit, [&](std::size_t i) { return blocklengths[i]; }, std::move(old), type);
}

LayoutPtr with_blocklength(Combiner combiner, std::int64_t blocklength, Numbers displacements, bool in_bytes,
                           LayoutPtr old) {
  if (!old) throw base::Error(base::Status::kInvalidArgument, "the old type is null");
  require(blocklength >= 0, "the blocklength must be at least 0", blocklength);
  auto type = std::make_shared<Layout>();
  type->blocklength = blocklength;
  const std::int64_t unit = in_bytes ? 1 : old->extent;
  return list(combiner, displacements, unit, [&](std::size_t) { return blocklength; }, std::move(old), type);
}

}  // namespace

LayoutPtr indexed(Numbers blocklengths, Numbers displacements, LayoutPtr old) {
  return with_blocklengths(Combiner::kIndexed, blocklengths, displacements, false, std::move(old));
}

LayoutPtr hindexed(Numbers blocklengths, Numbers displacements, LayoutPtr old) {
  return with_blocklengths(Combiner::kHindexed, blocklengths, displacements, true, std::move(old));
}

LayoutPtr indexed_block(std::int64_t blocklength, Numbers displacements, LayoutPtr old) {
  return with_blocklength(Combiner::kIndexedBlock, blocklength, displacements, false, std::move(old));
}

LayoutPtr hindexed_block(std::int64_t blocklength, Numbers displacements, LayoutPtr old) {
  return with_blocklength(Combiner::kHindexedBlock, blocklength, displacements, true, std::move(old));
}

LayoutPtr structure(Numbers blocklengths, Numbers displacements, std::span<const LayoutPtr> types) {
  require_equal_lengths(blocklengths.size(), displacements.size(), "blocklengths and displacements");
  require_equal_lengths(blocklengths.size(), types.size(), "blocklengths and types");
  require_blocklengths(blocklengths);
  auto type = std::make_shared<Layout>();
  type->combiner = Combiner::kStruct;
  type->count = static_cast<std::int64_t>(types.size());
  type->blocklengths = base::Numbers(blocklengths);
  type->displacements = base::Numbers(displacements, 4);
  Bounds bounds;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (!types[i])
      throw base::Error(base::Status::kInvalidArgument, "type " + std::to_string(i) + " of the struct is null");
    bounds.add_block(blocklengths[i], displacements[i], *types[i]);
    type->children.push_back(types[i]);
  }
  bounds.finish(*type, true);
  return type;
}

}  // namespace gapless::layout

#include <utility>

#include "support/redescribe/rewrites.hpp"

namespace gapless::test::redescribe_detail {
namespace {

using layout::Combiner;
using layout::Layout;

// Displacements of what is not there: anything goes.
std::int64_t anywhere(Random& random) {
  return random.between(-1'000'000, 1'000'000);
}

// Empty blocks between the blocks of a list. Null if the type is no list.
LayoutPtr with_empty_blocks(Random& random, const Layout& type) {
  if (type.children.empty()) return nullptr;
  Numbers lengths, displacements;
  std::vector<LayoutPtr> types;
  const auto maybe_empty = [&] {
    while (random.chance(25)) {
      lengths.push_back(0);
      displacements.push_back(anywhere(random));
      types.push_back(type.children[static_cast<std::size_t>(
          random.between(0, static_cast<std::int64_t>(type.children.size()) - 1))]);
    }
  };
  if (type.combiner == Combiner::kStruct) {
    for (std::size_t i = 0; i < type.children.size(); ++i) {
      maybe_empty();
      lengths.push_back(type.blocklengths[i]);
      displacements.push_back(type.displacements[i]);
      types.push_back(type.children[i]);
    }
    maybe_empty();
    return layout::structure(lengths, displacements, types);
  }
  const std::vector<Block> blocks = blocks_of(type);
  if (blocks.empty()) return nullptr;
  for (const Block& block : blocks) {
    maybe_empty();
    lengths.push_back(block.length);
    displacements.push_back(block.displacement);
  }
  maybe_empty();
  return layout::hindexed(lengths, displacements, type.children[0]);
}

// A member without data beside the type.
LayoutPtr with_empty_member(Random& random, const LayoutPtr& type) {
  const LayoutPtr nothing = layout::contiguous(0, type);
  const std::int64_t at = anywhere(random);
  if (random.chance(50)) return layout::structure(Numbers{1, 1}, Numbers{at, 0}, std::vector<LayoutPtr>{nothing, type});
  return layout::structure(Numbers{1, 0}, Numbers{0, at}, std::vector<LayoutPtr>{type, type});
}

}  // namespace

LayoutPtr noise(Random& random, const LayoutPtr& type) {
  switch (random.between(0, 9)) {
    case 0:
      return layout::dup(type);
    case 1:  // the natural bounds
      return layout::resized(type->true_lb, type->true_extent, type);
    case 2:  // any bounds, corrected by the caller
      return layout::resized(random.between(-100, 100), random.between(-100, 1000), type);
    case 3:
      return layout::structure(Numbers{1}, Numbers{0}, std::vector<LayoutPtr>{type});
    case 4:
      return layout::contiguous(1, type);
    case 5:
      return random.chance(50) ? layout::vector(1, 1, random.between(-100, 100), type)
                               : layout::hvector(1, 1, anywhere(random), type);
    case 6:
      return with_empty_member(random, type);
    case 7:
      return layout::hindexed_block(1, Numbers{0}, layout::dup(type));
    default:
      return with_empty_blocks(random, *type);
  }
}

}  // namespace gapless::test::redescribe_detail

#include <algorithm>
#include <utility>

#include "support/redescribe/rewrites.hpp"

namespace gapless::test::redescribe_detail {
namespace {

using layout::Combiner;
using layout::Layout;

constexpr std::int64_t kMaxBlocks = 5000;

// The rows of the box along the fastest dimension, in the array's order.
std::vector<Block> rows_of(const Layout& type) {
  const std::size_t dimensions = type.sizes.size();
  const std::int64_t extent = type.children[0]->extent;
  std::vector<std::size_t> fastest_first(dimensions);
  for (std::size_t i = 0; i < dimensions; ++i)
    fastest_first[i] = type.order == layout::Order::kC ? dimensions - 1 - i : i;
  std::int64_t rows = 1, step = extent;
  for (std::size_t i = 1; i < dimensions; ++i) rows *= type.subsizes[fastest_first[i]];
  if (rows > kMaxBlocks) return {};
  std::vector<Block> blocks{{0, type.subsizes[fastest_first[0]]}};
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::size_t d = fastest_first[i];
    std::vector<Block> box;
    for (std::int64_t j = 0; j < (i == 0 ? 1 : type.subsizes[d]); ++j) {
      for (const Block& block : blocks) box.push_back({block.displacement + (type.starts[d] + j) * step, block.length});
    }
    blocks = std::move(box);
    step *= type.sizes[d];
  }
  return blocks;
}

// Each block as one, as single elements, or as pieces of random lengths.
std::vector<Block> cut_blocks(Random& random, const std::vector<Block>& blocks, std::int64_t extent) {
  const std::int64_t style = random.between(0, 3);
  std::vector<Block> pieces;
  for (const Block& block : blocks) {
    for (std::int64_t done = 0; done < block.length;) {
      const std::int64_t left = block.length - done;
      const std::int64_t length = style < 2 ? left : style == 2 ? 1 : random.between(1, left);
      pieces.push_back({block.displacement + done * extent, length});
      done += length;
    }
  }
  return pieces;
}

}  // namespace

std::vector<Block> blocks_of(const Layout& type) {
  if (type.children.empty() || type.count > kMaxBlocks) return {};
  const std::int64_t extent = type.children[0]->extent;
  std::vector<Block> blocks;
  for (std::int64_t i = 0; i < type.count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    switch (type.combiner) {
      case Combiner::kContiguous:
        return {{0, type.count}};
      case Combiner::kVector:
      case Combiner::kHvector:
        blocks.push_back({i * stride_bytes(type), type.blocklength});
        break;
      case Combiner::kIndexed:
        blocks.push_back({type.displacements[at] * extent, type.blocklengths[at]});
        break;
      case Combiner::kHindexed:
        blocks.push_back({type.displacements[at], type.blocklengths[at]});
        break;
      case Combiner::kIndexedBlock:
        blocks.push_back({type.displacements[at] * extent, type.blocklength});
        break;
      case Combiner::kHindexedBlock:
        blocks.push_back({type.displacements[at], type.blocklength});
        break;
      default:
        return {};
    }
  }
  return type.combiner == Combiner::kSubarray ? rows_of(type) : blocks;
}

LayoutPtr indexed(Random& random, const LayoutPtr& type) {
  if (type->size == 0) return nullptr;
  const std::vector<Block> whole = blocks_of(*type);
  if (whole.empty()) return nullptr;
  const LayoutPtr& old = type->children[0];
  std::int64_t elements = 0;
  for (const Block& block : whole) elements += block.length;
  const std::vector<Block> blocks = elements <= kMaxBlocks ? cut_blocks(random, whole, old->extent) : whole;
  Numbers lengths, bytes, units;
  bool whole_units = old->extent != 0, equal = true;
  for (const Block& block : blocks) {
    lengths.push_back(block.length);
    bytes.push_back(block.displacement);
    whole_units = whole_units && block.displacement % old->extent == 0;
    equal = equal && block.length == blocks.front().length;
  }
  if (whole_units)
    for (const std::int64_t displacement : bytes) units.push_back(displacement / old->extent);
  if (random.chance(10)) return layout::structure(lengths, bytes, std::vector<LayoutPtr>(bytes.size(), old));
  const bool in_units = whole_units && random.chance(60);
  if (equal && random.chance(70))
    return in_units ? layout::indexed_block(lengths[0], units, old) : layout::hindexed_block(lengths[0], bytes, old);
  return in_units ? layout::indexed(lengths, units, old) : layout::hindexed(lengths, bytes, old);
}

}  // namespace gapless::test::redescribe_detail

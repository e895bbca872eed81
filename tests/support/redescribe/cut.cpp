#include <utility>

#include "support/redescribe/rewrites.hpp"

namespace gapless::test::redescribe_detail {
namespace {

using layout::Combiner;
using layout::Layout;

void append(Pieces& pieces, std::int64_t displacement, const Pieces& more) {
  for (const Piece& piece : more) pieces.push_back({displacement + piece.displacement, piece.length, piece.type});
}

// A block of `length` elements, cut between two elements or inside one.
void cut_block(Random& random, Pieces& pieces, std::int64_t displacement, std::int64_t length, const LayoutPtr& type) {
  if (length == 0) return;
  if (length == 1) return append(pieces, displacement, cut(random, type));
  if (random.chance(50)) {
    const std::int64_t before = random.between(1, length - 1);
    pieces.push_back({displacement, before, type});
    pieces.push_back({displacement + before * type->extent, length - before, type});
    return;
  }
  const std::int64_t before = random.between(0, length - 1), behind = length - before - 1;
  if (before > 0) pieces.push_back({displacement, before, type});
  append(pieces, displacement + before * type->extent, cut(random, type));
  if (behind > 0) pieces.push_back({displacement + (before + 1) * type->extent, behind, type});
}

Pieces cut_strided(Random& random, const Layout& type) {
  const LayoutPtr& old = type.children[0];
  const std::int64_t stride = stride_bytes(type), row = random.between(0, type.count - 1);
  Pieces pieces;
  const auto rows = [&](std::int64_t from, std::int64_t to) {
    if (from < to) pieces.push_back({from * stride, 1, layout::hvector(to - from, type.blocklength, stride, old)});
  };
  rows(0, row);
  if (row > 0 && random.chance(50)) {
    rows(row, type.count);
    return pieces;
  }
  cut_block(random, pieces, row * stride, type.blocklength, old);
  rows(row + 1, type.count);
  return pieces;
}

Pieces cut_list(Random& random, const Layout& type) {
  const LayoutPtr& old = type.children[0];
  const std::vector<Block> blocks = blocks_of(type);
  const auto at = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(blocks.size()) - 1));
  Pieces pieces;
  const auto part = [&](std::size_t from, std::size_t to) {
    Numbers lengths, displacements;
    for (std::size_t i = from; i < to; ++i) {
      lengths.push_back(blocks[i].length);
      displacements.push_back(blocks[i].displacement);
    }
    if (!lengths.empty()) pieces.push_back({0, 1, layout::hindexed(lengths, displacements, old)});
  };
  part(0, at);
  if (at > 0 && random.chance(50)) {
    part(at, blocks.size());
    return pieces;
  }
  cut_block(random, pieces, blocks[at].displacement, blocks[at].length, old);
  part(at + 1, blocks.size());
  return pieces;
}

Pieces cut_struct(Random& random, const Layout& type) {
  const auto at = static_cast<std::size_t>(random.between(0, type.count - 1));
  Pieces pieces;
  for (std::size_t i = 0; i < type.children.size(); ++i) {
    if (type.blocklengths[i] == 0) continue;
    if (i == at && random.chance(50)) {
      cut_block(random, pieces, type.displacements[i], type.blocklengths[i], type.children[i]);
    } else {
      pieces.push_back({type.displacements[i], type.blocklengths[i], type.children[i]});
    }
  }
  return pieces;
}

// Along the slowest dimension in which the box is wider than one.
Pieces cut_subarray(Random& random, const LayoutPtr& shared) {
  const Layout& type = *shared;
  const std::size_t dimensions = type.sizes.size();
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::size_t d = type.order == layout::Order::kC ? i : dimensions - 1 - i;
    if (type.subsizes[d] == 1) continue;
    const std::int64_t before = random.between(1, type.subsizes[d] - 1);
    Numbers first = type.subsizes, second = type.subsizes, starts = type.starts;
    first[d] = before;
    second[d] -= before;
    starts[d] += before;
    return {{0, 1, layout::subarray(type.sizes, first, type.starts, type.order, type.children[0])},
            {0, 1, layout::subarray(type.sizes, second, starts, type.order, type.children[0])}};
  }
  return {{0, 1, shared}};
}

}  // namespace

Pieces cut(Random& random, const LayoutPtr& type) {
  if (type->size == 0) return {{0, 1, type}};
  switch (type->combiner) {
    case Combiner::kContiguous: {
      Pieces pieces;
      cut_block(random, pieces, 0, type->count, type->children[0]);
      return pieces;
    }
    case Combiner::kVector:
    case Combiner::kHvector:
      return cut_strided(random, *type);
    case Combiner::kIndexed:
    case Combiner::kHindexed:
    case Combiner::kIndexedBlock:
    case Combiner::kHindexedBlock:
      return blocks_of(*type).empty() ? Pieces{{0, 1, type}} : cut_list(random, *type);
    case Combiner::kStruct:
      return cut_struct(random, *type);
    case Combiner::kSubarray:
      return cut_subarray(random, type);
    case Combiner::kResized:
    case Combiner::kDup:
      return cut(random, type->children[0]);
    default:
      return {{0, 1, type}};
  }
}

LayoutPtr join(Random& random, const Pieces& pieces) {
  Numbers lengths, displacements;
  std::vector<LayoutPtr> types;
  bool same = true;
  for (const Piece& piece : pieces) {
    lengths.push_back(piece.length);
    displacements.push_back(piece.displacement);
    types.push_back(piece.type);
    same = same && piece.type == pieces.front().type;
  }
  if (same && random.chance(60)) return layout::hindexed(lengths, displacements, types[0]);
  if (pieces.size() > 2 && random.chance(40)) {
    const std::int64_t at = random.between(1, static_cast<std::int64_t>(pieces.size()) - 1);
    const LayoutPtr first = join(random, Pieces(pieces.begin(), pieces.begin() + at));
    const LayoutPtr second = join(random, Pieces(pieces.begin() + at, pieces.end()));
    return layout::structure(Numbers{1, 1}, Numbers{0, 0}, std::vector<LayoutPtr>{first, second});
  }
  if (random.chance(30)) {  // the lengths in the members
    for (std::size_t i = 0; i < types.size(); ++i) {
      types[i] = layout::contiguous(lengths[i], types[i]);
      lengths[i] = 1;
    }
  }
  return layout::structure(lengths, displacements, types);
}

LayoutPtr split(Random& random, const LayoutPtr& type) {
  Pieces pieces = cut(random, type);
  if (pieces.size() < 2) return nullptr;
  if (random.chance(30)) {  // one of the pieces again
    const auto at = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(pieces.size()) - 1));
    Pieces more(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(at));
    cut_block(random, more, pieces[at].displacement, pieces[at].length, pieces[at].type);
    more.insert(more.end(), pieces.begin() + static_cast<std::ptrdiff_t>(at) + 1, pieces.end());
    pieces = std::move(more);
  }
  return join(random, pieces);
}

// n copies of H L, `stride` apart, as H, n - 1 copies of (L, the next H), L.
LayoutPtr rotated(Random& random, const LayoutPtr& type) {
  const bool contiguous = type->combiner == Combiner::kContiguous;
  const bool strided = type->combiner == Combiner::kVector || type->combiner == Combiner::kHvector;
  if ((!contiguous && !strided) || type->count < 2 || type->size == 0) return nullptr;
  const std::int64_t stride = contiguous ? type->children[0]->extent : stride_bytes(*type);
  Pieces row;
  cut_block(random, row, 0, contiguous ? 1 : type->blocklength, type->children[0]);
  if (row.size() < 2) return nullptr;
  const std::int64_t at = random.between(1, static_cast<std::int64_t>(row.size()) - 1);
  const Pieces head(row.begin(), row.begin() + at), tail(row.begin() + at, row.end());
  Pieces middle = tail;
  append(middle, stride, head);
  Pieces all = head;
  const LayoutPtr repeated = layout::hvector(type->count - 1, 1, stride, join(random, middle));
  all.push_back({0, 1, repeated});
  append(all, (type->count - 1) * stride, tail);
  return join(random, all);
}

}  // namespace gapless::test::redescribe_detail

// One rewrite of the root of a tree each. The result has the same sequence of runs; its bounds may differ, the caller
// sets them right. Null: does not apply.
#pragma once

#include <cstdint>
#include <vector>

#include "layout/layout.hpp"
#include "support/random_number.hpp"

namespace gapless::test::redescribe_detail {

using layout::LayoutPtr;
using Numbers = std::vector<std::int64_t>;

LayoutPtr split(Random& random, const LayoutPtr& type);
LayoutPtr indexed(Random& random, const LayoutPtr& type);
LayoutPtr noise(Random& random, const LayoutPtr& type);
LayoutPtr reassociated(Random& random, const LayoutPtr& type);
LayoutPtr rotated(Random& random, const LayoutPtr& type);

// `length` copies of `type`, its extent apart, at `displacement` [bytes].
struct Piece {
  std::int64_t displacement;
  std::int64_t length;
  LayoutPtr type;
};
using Pieces = std::vector<Piece>;

// The type as two or more pieces in type-map order, cut at a random place of it or of what it consists of. One piece if
// there is nothing to cut.
Pieces cut(Random& random, const LayoutPtr& type);
// A type out of pieces: a struct, nested structs, or a list where all pieces are copies of one type.
LayoutPtr join(Random& random, const Pieces& pieces);

struct Block {
  std::int64_t displacement;  // [bytes]
  std::int64_t length;        // [elements] of the type's only child
};
// What a type with one child places where; empty if it has too many blocks, or is no list of blocks.
std::vector<Block> blocks_of(const layout::Layout& type);

// Stride of a vector or hvector [bytes].
inline std::int64_t stride_bytes(const layout::Layout& type) {
  return type.combiner == layout::Combiner::kVector ? type.stride * type.children[0]->extent : type.stride;
}

}  // namespace gapless::test::redescribe_detail

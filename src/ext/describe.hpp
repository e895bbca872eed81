// Normal form -> layout: the constructors that say the same.
#pragma once

#include <cstdint>
#include <vector>

#include "layout/layout.hpp"
#include "normal/form.hpp"

namespace gapless::ext {

// What the form's bytes stand for: `bytes` of them for one `type`, whose extent they are if there are several.
struct Unit {
  layout::LayoutPtr type;
  std::int64_t bytes;
};

// `length` times `type`, an extent apart, from `displacement` [bytes] on.
struct Block {
  std::int64_t length;
  std::int64_t displacement;
  layout::LayoutPtr type;
};
using Blocks = std::vector<Block>;

// The blocks that a form is made of, in type-map order. False if some run is not a number of whole units: then they are
// not complete.
bool describe(const normal::Form& form, const Unit& unit, Blocks& blocks);

// One type of all blocks, in their order: a struct, or what is less.
layout::LayoutPtr as_type(const Blocks& blocks);

}  // namespace gapless::ext

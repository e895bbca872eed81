// The arguments of every constructor in the text notation, in order: one table from which the parser, the printer and
// the usage lines of error messages follow. docs/notation.md is the same for people.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "layout/layout.hpp"

namespace gapless::notation {

struct Distributions {};  // block | cyclic | none, each with its argument, one a dimension
struct Members {};        // (blocklength, displacement, type), one a block of a struct
struct Old {};            // the old type

// Where a Layout keeps an argument.
using Place = std::variant<std::int64_t layout::Layout::*, base::Numbers layout::Layout::*,
                           std::vector<std::int64_t> layout::Layout::*, layout::Order layout::Layout::*, Distributions,
                           Members, Old>;

struct Argument {
  const char* name;
  Place place;
};

// Empty for a named type, which takes none.
std::span<const Argument> arguments(layout::Combiner combiner) noexcept;

// E.g. "vector(count, blocklength, stride, type)".
std::string usage(layout::Combiner combiner);

const char* order_name(layout::Order order) noexcept;                       // C, Fortran
const char* distribution_name(layout::Distribution distribution) noexcept;  // none, block, cyclic

}  // namespace gapless::notation

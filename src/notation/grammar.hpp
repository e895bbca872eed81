// The arguments of every constructor in the text notation, in order: one table for the parser, the printer and the
// usage lines of error messages. docs/notation.md says the same to people.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "layout/layout.hpp"

namespace gapless::notation {

struct Distributions {};  // block | cyclic | none, each with its argument, one per dimension
struct StructMembers {};  // (blocklength, displacement, type), one per block of a struct
struct OldType {};        // the old type

// Where a Layout stores an argument.
using Field = std::variant<std::int64_t layout::Layout::*, base::Numbers layout::Layout::*,
                           std::vector<std::int64_t> layout::Layout::*, layout::Order layout::Layout::*, Distributions,
                           StructMembers, OldType>;

struct Argument {
  const char* name;
  Field field;
};

// The arguments of a constructor; empty for a named type, which takes none.
std::span<const Argument> arguments(layout::Combiner combiner) noexcept;

// E.g. "vector(count, blocklength, stride, type)".
std::string usage(layout::Combiner combiner);

const char* order_name(layout::Order order) noexcept;                       // C, Fortran
const char* distribution_name(layout::Distribution distribution) noexcept;  // none, block, cyclic

}  // namespace gapless::notation

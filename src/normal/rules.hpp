// The rewrite rules, one a file. A rule looks at the outermost node of a form whose children are already in normal
// form, and either leaves it alone (false) or replaces it by one that expands to the same sequence of bytes (true).
//
// Fixed point and bounds: every rule strictly reduces the number of entries of the node (itself, its parts and
// offsets), except flatten_sequence, which replaces a part by at most kMostFlattenedParts others and takes one level of
// nesting away. So a node reaches its fixed point in a number of steps linear in its entries, and a form has at most
// kMostFlattenedParts times the entries of the description it came from.
#pragma once

#include <span>

#include "normal/build.hpp"
#include "normal/form.hpp"

namespace gapless::normal {

inline constexpr std::size_t kMostFlattenedParts = 64;

struct Rule {
  const char* name;
  bool (*apply)(Draft& draft);
};

namespace rules {
bool single_loop(Draft& draft);
bool dense_loop(Draft& draft);
bool nested_loop(Draft& draft);
bool flatten_sequence(Draft& draft);
bool fuse_adjacent(Draft& draft);
bool join_loops(Draft& draft);
bool single_part(Draft& draft);
bool equal_parts(Draft& draft);
bool arithmetic_table(Draft& draft);
}  // namespace rules

std::span<const Rule> all_rules() noexcept;

}  // namespace gapless::normal

// The rewrite rules, one a file. A rule looks at the outermost node of a form whose children are already in normal
// form, and either leaves it alone (false) or replaces it by one that expands to the same sequence of bytes (true).
//
// Fixed point and bounds: every rule strictly reduces the number of entries (nodes, parts and offsets, counting each
// part once), except flatten_sequence, which removes one level of nesting and copies no entry twice. So a node of n
// entries needs at most 2n steps, and a form is never larger than the description it came from.
#pragma once

#include <span>

#include "normal/build.hpp"
#include "normal/form.hpp"

namespace gapless::normal {

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

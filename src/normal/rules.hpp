// The rewrite rules, one a file. A rule either leaves a list of items alone (false) or replaces it by one that expands
// to the same sequence of bytes (true). Those of the first kind work on items (normal/word.hpp), those of the second on
// the finished parts of a node.
//
// Bounds. Before the rules run, the ends of loops at a seam are written out, which adds the items of a few copies at
// each. Then every rule removes items, except fuse_runs, which may open loops of words whose ends adjoin and removes
// runs, and rotate_left, which moves a loop one item to the left; the number of steps has a limit that is linear in the
// items. Lists have at most kMaxItems items: a longer list becomes a node and is not opened again, so a form has at
// most kMaxItems times the entries of its description, and runs may remain unfused at the ends of such a node.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "normal/form.hpp"
#include "normal/normalise.hpp"
#include "normal/word.hpp"

namespace gapless::normal {

inline constexpr std::size_t kMaxItems = 256;
// A regular stretch of a list becomes a loop of its own, not entries of a table, if it has this many runs or more.
inline constexpr std::int64_t kWorthALoop = 32;

// A few copies of a word, reduced, and the item among them that grows with their number.
struct Sample {
  Items items;
  bool grows = false;
  std::size_t core = 0;
  std::int64_t each = 1;  // copies of the core's letter, or bytes of its run, in one copy of the word
};

// What the rules share while one type is normalised.
struct Context {
  Alphabet alphabet;
  Trace* trace = nullptr;
  std::int64_t work_left = kAnyWork;
  // Words repeated before, by letter and stride (normal/repeat.cpp).
  std::map<std::pair<const Letter*, std::int64_t>, Sample> samples;
};

// Subtracts from the work left the cost of a rule that looks at groups of up to `longest` of `items` items.
void spend(Context& context, std::size_t items, std::size_t longest = 1);

// On items.
struct ItemRule {
  const char* name;
  bool (*apply)(Items& items, Alphabet& alphabet);
};
namespace rules {
bool fuse_runs(Items& items, Alphabet& alphabet);
bool progression(Items& items, Alphabet& alphabet);
bool repeated_item(Items& items, Alphabet& alphabet);
bool join_copies(Items& items, Alphabet& alphabet);
bool rotate_left(Items& items, Alphabet& alphabet);
bool repetition(Items& items, Alphabet& alphabet);
std::size_t longest_repetition(std::size_t items) noexcept;  // the longest word that `repetition` looks for
}  // namespace rules
// Applies the rules until none applies. `items` is any list without zero-byte items.
void reduce(Items& items, Context& context);

// On parts.
struct PartRule {
  const char* name;
  bool (*apply)(std::vector<Part>& parts, Alphabet& alphabet);
};
namespace rules {
bool irregular_list(std::vector<Part>& parts, Alphabet& alphabet);
bool two_copies(std::vector<Part>& parts, Alphabet& alphabet);
std::size_t longest_pair(std::size_t parts) noexcept;  // the longest half that `two_copies` looks for
bool equal_parts(std::vector<Part>& parts, Alphabet& alphabet);
}  // namespace rules
// The items as one node, at its offset. Empty items have no node.
Form gather(const Items& items, Context& context);
const NodePtr& gather(const Letter& letter, Context& context);

// `count` copies of `body`, `stride` apart, reduced.
Items repeat(std::int64_t count, std::int64_t stride, const Items& body, Context& context);

// What `count` copies of `body` fold to, for every count that is large enough: a loop of each * count + extra copies,
// with the same items before it and, count strides further, after it.
struct FoldedItems {
  Items before, after;
  Item core;  // as it is for five copies, which may differ from their form: counts below 3 stay as they are
  std::int64_t each = 1, extra = 0;
};
// False if no such items were found.
bool fold_copies(std::int64_t stride, const Items& body, Context& context, FoldedItems& folded);

// Counts a hit of a rule, including those that are not in the lists above.
void hit(const char* rule, Trace* trace);

}  // namespace gapless::normal

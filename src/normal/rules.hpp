// The rewrite rules, one a file. A rule either leaves a list of items alone (false) or replaces it by one that expands
// to the same sequence of bytes (true). Those of the first kind work on items (normal/word.hpp), those of the second on
// the finished parts of a node.
//
// Bounds. Before the rules run, the ends of loops that stand at a seam are written out, which adds the items of a few
// copies at each. Then every rule takes items away, but for fuse_runs, which may open loops of words whose ends adjoin
// and takes runs away, and rotate_left, which moves a loop one item to the left; the number of steps has a limit that
// is linear in the items. Lists are kept to kMostItems items: what is longer becomes a node and is not looked into
// again, so a form has at most kMostItems times the entries of the description it came from, and runs may remain
// unfused at the ends of such a node.
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

inline constexpr std::size_t kMostItems = 256;
// A regular stretch of a list is worth a loop of its own, rather than a place in a table, from this many runs on.
inline constexpr std::int64_t kWorthALoop = 32;

// A few copies of a word, reduced, and the item of them that grows with their number.
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

// Takes what a rule costs on `items` items, of which it looks at groups of up to `longest`, from the work that is left.
void spend(Context& context, std::size_t items, std::size_t longest = 1);

// On items.
struct Rule {
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
std::size_t longest_repetition(std::size_t items) noexcept;  // the longest word that it looks for
}  // namespace rules
// Rules until none applies. `items` may be any list without zero-byte items.
void reduce(Items& items, Context& context);

// On parts.
struct PartRule {
  const char* name;
  bool (*apply)(std::vector<Part>& parts, Alphabet& alphabet);
};
namespace rules {
bool irregular_list(std::vector<Part>& parts, Alphabet& alphabet);
bool two_copies(std::vector<Part>& parts, Alphabet& alphabet);
std::size_t longest_pair(std::size_t parts) noexcept;  // the longest half that it looks for
bool equal_parts(std::vector<Part>& parts, Alphabet& alphabet);
}  // namespace rules
// The items as one node, at its offset. Empty items have no node.
Form gather(const Items& items, Context& context);
const NodePtr& gather(const Letter& letter, Context& context);

// `count` copies of `body`, `stride` apart, reduced.
Items repeat(std::int64_t count, std::int64_t stride, const Items& body, Context& context);

// What `count` copies of `body` become for every count that is large enough: a loop of each * count + extra copies,
// with the same items before it and, count strides further, after it.
struct Growth {
  Items before, after;
  Item core;  // as it is for five copies, which need not be a form of them: counts below 3 are left as they are
  std::int64_t each = 1, extra = 0;
};
bool find_growth(std::int64_t stride, const Items& body, Context& context, Growth& growth);

// Counting hits. Rules that are no element of a list above are named here.
void hit(const char* rule, Trace* trace);

}  // namespace gapless::normal

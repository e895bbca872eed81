// Layout -> normal form, bottom-up, by local rules (normal/rules.hpp), without ever flattening what is regular.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "layout/layout.hpp"
#include "normal/form.hpp"

namespace gapless::normal {

// Which rules fired how often, by position in rule_names(). For tests and `explain`.
struct Trace {
  std::vector<std::int64_t> hits;
};
std::span<const char* const> rule_names() noexcept;

// Cost: linear in the size of the description (the lists that the constructors were given). Growth:
// bounded by normal/rules.hpp.
Form normalise(const layout::Layout& type, Trace* trace = nullptr);

// The normal form of any number of elements, so that (count, t) is run as (1, contiguous(count, t)) would be, found in
// constant time when the message is known. With `body`, count >= fewest() elements are
//   before, then each * count + extra copies of what the loop (or, byte by byte, the run) `body` repeats, then after,
// where `after` stands count extents further than its offset says.
struct Message {
  Form one;
  Form before, after;
  NodePtr body;  // null: no such form was found, and elements follow one another as they are
  std::int64_t body_offset = 0;
  std::int64_t each = 0, extra = 0;
  std::int64_t fewest() const noexcept { return extra >= -each ? 1 : (-extra + each - 1) / each; }
};
// `most_work`: how much a description may take that a stranger sent. Counted in items that rules look at, some 4 ns
// each, the same in every process; types that people describe stay below a few millions, long lists included. Throws
// base::Error (kInvalidArgument) where it would take more.
inline constexpr std::int64_t kAnyWork = std::numeric_limits<std::int64_t>::max();
Message normalise_message(const layout::Layout& type, std::int64_t most_work = kAnyWork);

}  // namespace gapless::normal

// Layout -> normal form, bottom-up, by local rules (normal/rules.hpp), without flattening anything regular.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "layout/layout.hpp"
#include "normal/form.hpp"

namespace gapless::normal {

// How often each rule applied, by position in rule_names(). For tests and `explain`.
struct Trace {
  std::vector<std::int64_t> hits;
};
std::span<const char* const> rule_names() noexcept;

// Cost: linear in the size of the description (the lists given to the constructors). normal/rules.hpp bounds the size
// of the result.
Form normalise(const layout::Layout& type, Trace* trace = nullptr);

// The normal form of any number of elements: folds the count in constant time, so that (count, t) runs as
// (1, contiguous(count, t)) does. With `body`, count >= min_count() elements are
//   before, then each * count + extra copies of what the loop (or, byte by byte, the run) `body` repeats, then after,
// where `after` is count extents further than its offset.
struct MessageForm {
  Form one;
  Form before, after;
  NodePtr body;  // null: no such form was found; the message is one element after the other
  std::int64_t body_offset = 0;
  std::int64_t each = 0, extra = 0;
  std::int64_t min_count() const noexcept { return extra >= -each ? 1 : (-extra + each - 1) / each; }
};
// `max_work`: the limit for an untrusted description, counted in items that rules look at, about 4 ns each, the same in
// every process. Types that people describe stay below a few millions, long lists included. Throws base::Error
// (kInvalidArgument) if the limit is exceeded.
inline constexpr std::int64_t kAnyWork = std::numeric_limits<std::int64_t>::max();
MessageForm normalise_message(const layout::Layout& type, std::int64_t max_work = kAnyWork);

}  // namespace gapless::normal

#include <array>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/status.hpp"
#include "normal/rules.hpp"

namespace gapless::normal {
namespace {

// Short patterns before long ones, so that what was described as a nest is found as that nest.
constexpr ItemRule kRules[] = {
    {"fuse_runs", rules::fuse_runs},     {"progression", rules::progression}, {"repeated_item", rules::repeated_item},
    {"join_copies", rules::join_copies}, {"rotate_left", rules::rotate_left}, {"repetition", rules::repetition},
};

constexpr const char* kRuleNames[] = {"fuse_runs",      "progression", "repeated_item", "join_copies",
                                      "rotate_left",    "repetition",  "roll_up",       "list_stretch",
                                      "irregular_list", "two_copies",  "equal_parts"};

// A list takes a step or two for each level of its nests; only a hostile list needs far more.
constexpr std::size_t kStepsToSpare = 64, kStepsPerItem = 4;

void push_copies(Items& items, const Item& item, const Item& copies) {
  if (copies.count >= 3) {
    items.push_back(copies);
    return;
  }
  for (std::int64_t i = 0; i < copies.count; ++i)
    append(items, Alphabet::items_of(*item.letter), copies.offset + i * copies.stride);
}

// Writes out the first copy of a loop, the last one, or both, recursively, down to single letters. The middle stays a
// loop if three or more copies are left.
void push_opened(Items& items, const Item& item, bool front, bool back) {
  if (item.count == 1 || (!front && !back)) {
    items.push_back(item);
    return;
  }
  const auto place = [&](std::int64_t copy) { return item.offset + copy * item.stride; };
  const auto push_copy = [&](std::int64_t copy, bool its_front, bool its_back) {
    const Items inner = Alphabet::items_of(*item.letter);
    for (std::size_t i = 0; i < inner.size(); ++i) {
      Item moved = inner[i];
      moved.offset += place(copy);
      push_opened(items, moved, its_front && i == 0, its_back && i + 1 == inner.size());
    }
  };
  const std::int64_t first = front ? 1 : 0, last = item.count - (back ? 1 : 0);
  if (front) push_copy(0, true, false);
  push_copies(items, item, {place(first), item.letter, last - first, item.stride});
  if (back) push_copy(item.count - 1, false, true);
}

// Writes out what is at a seam between two items: the rules find any pattern that crosses it, and reassemble what does
// not.
void open_seams(Items& items) {
  if (items.size() < 2) return;
  Items opened;
  for (std::size_t i = 0; i < items.size(); ++i) push_opened(opened, items[i], i > 0, i + 1 < items.size());
  items = std::move(opened);
}

}  // namespace

std::span<const char* const> rule_names() noexcept {
  return kRuleNames;
}

void hit(const char* rule, Trace* trace) {
  if (trace == nullptr) return;
  trace->hits.resize(std::size(kRuleNames));
  for (std::size_t i = 0; i < std::size(kRuleNames); ++i)
    if (std::strcmp(kRuleNames[i], rule) == 0) ++trace->hits[i];
}

void spend(Context& context, std::size_t items, std::size_t longest) {
  std::int64_t work;
  if (__builtin_mul_overflow(items, longest, &work) || work > context.work_left)
    throw base::Error(base::Status::kInvalidArgument, "it takes too much work to normalise");
  context.work_left -= work;
}

void reduce(Items& items, Context& context) {
  open_seams(items);
  // Whenever the loop stops, the items are the same sequence.
  std::size_t steps_left = kStepsToSpare + kStepsPerItem * items.size();
  for (std::size_t i = 0; i < std::size(kRules) && steps_left > 0;) {
    spend(context, items.size(), kRules[i].apply == rules::repetition ? rules::longest_repetition(items.size()) : 1);
    if (kRules[i].apply(items, context.alphabet)) {
      --steps_left;
      hit(kRules[i].name, context.trace);
      i = 0;
    } else {
      ++i;
    }
  }
}

}  // namespace gapless::normal

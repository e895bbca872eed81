// x at d, x at d + s, x at d + 2 s, .. -> loop(n, s, x) at d, and the same where a loop of x at that stride continues.
// Proof: copy i of the loop is at d + i s, where the i-th x was, and in that order.
// From left to right, each progression as long as possible; two copies alone are not one.
#include "normal/rules.hpp"

namespace gapless::normal::rules {
namespace {

// A progression and the number of items that it replaces; 0 if none starts there.
struct FoundProgression {
  Item loop;
  std::size_t taken = 0;
};

bool continues(const Item& loop, const Item& next) {
  std::int64_t reach;  // one stride more than the constructors have checked
  return next.letter == loop.letter && (next.count == 1 || next.stride == loop.stride) &&
         !__builtin_mul_overflow(loop.count, loop.stride, &reach) && next.offset - loop.offset == reach;
}

FoundProgression find(const Items& items, std::size_t i) {
  Item loop = items[i];
  std::size_t next = i + 1;
  if (loop.count == 1) {
    if (next >= items.size() || items[next].letter != loop.letter) return {};
    loop.stride = items[next].offset - loop.offset;
    if (items[next].count == 1) {
      loop.count = 2;
      ++next;
    }
    if (next >= items.size() || !continues(loop, items[next])) return {};
  }
  for (; next < items.size() && continues(loop, items[next]); ++next) loop.count += items[next].count;
  return {loop, next - i};
}

}  // namespace

bool progression(Items& items, Alphabet&) {
  Items out;
  bool changed = false;
  for (std::size_t i = 0; i < items.size();) {
    const FoundProgression found = find(items, i);
    if (found.taken > 1) {
      out.push_back(found.loop);
      i += found.taken;
      changed = true;
    } else {
      out.push_back(items[i++]);
    }
  }
  if (changed) items = std::move(out);
  return changed;
}

}  // namespace gapless::normal::rules

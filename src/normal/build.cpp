#include "normal/build.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "normal/reduce.hpp"

namespace gapless::normal {
namespace {

struct Interval {
  std::int64_t low, high;
};

bool apart(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) { return a.low < b.low; });
  for (std::size_t i = 1; i < intervals.size(); ++i)
    if (intervals[i].low < intervals[i - 1].high) return false;
  return true;
}

// A nest of loops touches nothing twice if, with the loops sorted by stride, each stride steps over all that the
// smaller ones span. This covers row-major, column-major and transposing nests.
bool loop_is_disjoint(const Node& outermost) {
  struct Level {
    std::int64_t count, stride;
  };
  std::vector<Level> levels;
  const Node* inner = &outermost;
  for (; inner->kind == Kind::kLoop; inner = inner->body.get())
    levels.push_back({inner->count, std::abs(inner->stride)});
  if (!inner->disjoint) return false;
  std::sort(levels.begin(), levels.end(), [](const Level& a, const Level& b) { return a.stride < b.stride; });
  std::int64_t span = inner->high - inner->low;
  for (const Level& level : levels) {
    if (level.stride < span) return false;
    span += level.stride * (level.count - 1);
  }
  return true;
}

void finish_loop(Node& node) {
  const Node& body = *node.body;
  const std::int64_t reach = (node.count - 1) * node.stride;
  node.bytes = node.count * body.bytes;
  node.low = body.low + std::min<std::int64_t>(reach, 0);
  node.high = body.high + std::max<std::int64_t>(reach, 0);
  node.runs = node.count * body.runs;
  node.disjoint = loop_is_disjoint(node);
  node.depth = body.depth + 1;
}

void finish_parts(Node& node, const std::vector<Part>& parts) {
  node.bytes = node.runs = 0;
  node.low = node.high = 0;
  node.disjoint = true;
  std::vector<Interval> intervals;
  intervals.reserve(parts.size());
  for (const Part& part : parts) {
    node.bytes += part.node->bytes;
    node.runs += part.node->runs;
    node.low = std::min(node.low, part.offset + part.node->low);
    node.high = std::max(node.high, part.offset + part.node->high);
    node.disjoint = node.disjoint && part.node->disjoint;
    node.depth = std::max(node.depth, part.node->depth + 1);
    intervals.push_back({part.offset + part.node->low, part.offset + part.node->high});
  }
  node.disjoint = node.disjoint && apart(std::move(intervals));
}

}  // namespace

// No product here can overflow: each is the distance between two bytes of a type, or their number, and the layout's
// constructors have checked the type's size and true extent.
NodePtr finish(Node node) {
  switch (node.kind) {
    case Kind::kRun:
      node.high = node.bytes;
      break;
    case Kind::kLoop:
      finish_loop(node);
      break;
    case Kind::kTable: {
      std::vector<Part> parts;
      parts.reserve(node.offsets.size());
      for (const std::int64_t offset : node.offsets) parts.push_back({offset, node.body});
      finish_parts(node, parts);
      break;
    }
    case Kind::kSequence:
      finish_parts(node, node.parts);
      break;
  }
  return std::make_shared<const Node>(std::move(node));
}

NodePtr make_run(std::int64_t bytes) {
  Node node;
  node.kind = Kind::kRun;
  node.bytes = bytes;
  return finish(std::move(node));
}

Form loop(std::int64_t count, std::int64_t stride, const Form& body, Trace* trace) {
  if (count == 0 || !body.node) return {};
  Draft draft;
  draft.offset = body.offset;
  draft.node.kind = Kind::kLoop;
  draft.node.count = count;
  draft.node.stride = stride;
  draft.node.body = body.node;
  return reduce(std::move(draft), trace);
}

Form sequence(std::vector<Part> parts, Trace* trace) {
  std::erase_if(parts, [](const Part& part) { return !part.node; });
  if (parts.empty()) return {};
  Draft draft;
  draft.offset = parts.front().offset;
  for (Part& part : parts) part.offset -= draft.offset;
  draft.node.kind = Kind::kSequence;
  draft.node.parts = std::move(parts);
  return reduce(std::move(draft), trace);
}

}  // namespace gapless::normal

// The derived fields of a node.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "normal/form.hpp"
#include "normal/hash.hpp"

namespace gapless::normal {
namespace {

struct Interval {
  std::int64_t low, high;
};

// Longer lists are not sorted: unless they already ascend or descend, they are not proved disjoint.
constexpr std::size_t kMaxSorted = 4096;

bool apart(std::vector<Interval> intervals) {
  const auto up = [](const Interval& a, const Interval& b) { return a.high <= b.low; };
  const auto down = [](const Interval& a, const Interval& b) { return b.high <= a.low; };
  const auto neighbours = [&](auto ordered) {
    return std::adjacent_find(intervals.begin(), intervals.end(),
                              [&](const Interval& a, const Interval& b) { return !ordered(a, b); }) == intervals.end();
  };
  if (neighbours(up) || neighbours(down)) return true;
  if (intervals.size() > kMaxSorted) return false;
  std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) { return a.low < b.low; });
  return neighbours(up);
}

// A nest of loops touches no byte twice if, with the loops sorted by stride, each stride is at least the span of all
// smaller ones together. This covers row-major, column-major and transposing nests.
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
  node.hash = mixed(mixed(mixed(1, node.count), node.stride), body.hash);
}

// Hashes at most a few thousand numbers of a list: the hash only finds candidates.
std::uint64_t list_hash(const base::Numbers& numbers) {
  constexpr std::size_t kMaxSamples = 4096;
  const std::size_t step = numbers.size() / kMaxSamples + 1;
  std::uint64_t hash = mixed(4, static_cast<std::int64_t>(numbers.size()));
  for (std::size_t i = 0; i < numbers.size(); i += step) hash = mixed(hash, numbers[i]);
  return mixed(hash, numbers.back());
}

// One pass over a list, which may be long: for an ascending one no list of intervals is needed.
template <class LengthOf>
ListFacts facts_of(const base::Numbers& offsets, std::int64_t body_low, LengthOf length_of) {
  const auto count = static_cast<std::int64_t>(offsets.size());
  const std::int64_t scale = offsets.scale(), shift = offsets.shift();
  ListFacts facts{0, body_low, length_of(0), true};
  std::int64_t previous = body_low;
  offsets.with_raw([&](const auto* raw) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t offset = raw[i] * scale + shift, end = offset + length_of(i);
      facts.ascending &= offset + body_low >= previous;
      facts.low = std::min(facts.low, offset + body_low);
      facts.high = std::max(facts.high, end);
      previous = end;
    }
  });
  return facts;
}

// `length_of(i)`: [bytes] from the origin of entry i to the end of its last byte.
template <class LengthOf>
void finish_list(Node& node, std::int64_t body_low, LengthOf length_of, const ListFacts* known) {
  const ListFacts facts = known != nullptr ? *known : facts_of(node.offsets, body_low, length_of);
  node.low = facts.low;
  node.high = facts.high;
  node.hash = list_hash(node.offsets);
  if (facts.ascending || !node.disjoint) return;
  if (node.offsets.size() > kMaxSorted) {
    node.disjoint = false;
    return;
  }
  std::vector<Interval> intervals;
  for (std::size_t i = 0; i < node.offsets.size(); ++i) {
    const std::int64_t offset = node.offsets[i];
    intervals.push_back({offset + body_low, offset + length_of(static_cast<std::int64_t>(i))});
  }
  node.disjoint = apart(std::move(intervals));
}

void finish_table(Node& node, const ListFacts* known) {
  const Node& body = *node.body;
  const auto count = static_cast<std::int64_t>(node.offsets.size());
  node.bytes = count * body.bytes;
  node.runs = count * body.runs;
  node.disjoint = body.disjoint;
  finish_list(node, body.low, [&](std::int64_t) { return body.high; }, known);
  node.depth = body.depth + 1;
  node.hash = mixed(node.hash, body.hash);
}

void finish_blocks(Node& node, const ListFacts* known) {
  node.runs = static_cast<std::int64_t>(node.lengths.size());
  node.disjoint = true;
  const std::int64_t scale = node.lengths.scale();
  node.lengths.with_raw([&](const auto* raw) {
    node.bytes = 0;
    if (known != nullptr)
      node.bytes = known->bytes;
    else
      for (std::int64_t i = 0; i < node.runs; ++i) node.bytes += raw[i] * scale;
    finish_list(node, 0, [&](std::int64_t i) { return raw[i] * scale; }, known);
    node.hash = mixed(node.hash, list_hash(node.lengths));
  });
  node.depth = 2;
}

void finish_sequence(Node& node) {
  node.bytes = node.runs = 0;
  node.low = node.high = 0;
  node.disjoint = true;
  node.hash = 3;
  std::vector<Interval> intervals;
  intervals.reserve(node.parts.size());
  for (const Part& part : node.parts) {
    node.bytes += part.node->bytes;
    node.runs += part.node->runs;
    node.low = std::min(node.low, part.offset + part.node->low);
    node.high = std::max(node.high, part.offset + part.node->high);
    node.disjoint = node.disjoint && part.node->disjoint;
    node.depth = std::max(node.depth, part.node->depth + 1);
    node.hash = mixed(mixed(node.hash, part.offset), part.node->hash);
    intervals.push_back({part.offset + part.node->low, part.offset + part.node->high});
  }
  node.disjoint = node.disjoint && apart(std::move(intervals));
}

}  // namespace

// No product here can overflow: each is the distance between two bytes of a type, or their number, and the layout's
// constructors have checked the type's size and true extent.
NodePtr finish(Node node, const ListFacts* facts) {
  switch (node.kind) {
    case Kind::kRun:
      node.high = node.bytes;
      node.hash = mixed(0, node.bytes);
      break;
    case Kind::kLoop:
      finish_loop(node);
      break;
    case Kind::kTable:
      finish_table(node, facts);
      break;
    case Kind::kBlocks:
      finish_blocks(node, facts);
      break;
    case Kind::kSequence:
      finish_sequence(node);
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

NodePtr make_loop(std::int64_t count, std::int64_t stride, NodePtr body) {
  Node node;
  node.kind = Kind::kLoop;
  node.count = count;
  node.stride = stride;
  node.body = std::move(body);
  return finish(std::move(node));
}

NodePtr make_table(base::Numbers offsets, NodePtr body) {
  Node node;
  node.kind = Kind::kTable;
  node.offsets = std::move(offsets);
  node.body = std::move(body);
  return finish(std::move(node));
}

}  // namespace gapless::normal

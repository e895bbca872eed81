#include "plan/joint.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "plan/compiler.hpp"
#include "plan/joint_leaf.hpp"

namespace gapless::plan {
namespace {

using normal::Kind;
using normal::Node;
using normal::NodePtr;

// Turns of the loop below, opened copies included, that a program may take: a longer one would cost more to make and to
// run than a walk along the runs.
constexpr int kMostTurns = 1024;
constexpr int kMostDepth = 64;
// A common multiple of two periods is worth a loop if it is at most so many of either.
constexpr std::int64_t kMostPeriods = 64;
// From here on a run of the one side is more than moves: a call of the other side's kernels for each, which is worth it
// only from kWorthACall on [bytes].
constexpr std::int64_t kLongRun = 256, kWorthACall = 2048;
constexpr std::int64_t kLeastListed = 16;

// What is left of a node: of a run some bytes, of a loop or a list some copies.
struct Item {
  Kind kind;
  std::int64_t at;         // [bytes] of its origin
  std::int64_t count = 1;  // bytes of a run; copies; entries of a list from `first` on
  std::int64_t stride = 0;
  std::int64_t first = 0;
  NodePtr body;  // loop, table
  NodePtr node;  // table, blocks, sequence

  std::int64_t unit() const { return kind == Kind::kRun ? 1 : body->bytes; }
};

Item item_of(const NodePtr& node, std::int64_t at) {
  switch (node->kind) {
    case Kind::kRun:
      return {Kind::kRun, at, node->bytes, 0, 0, nullptr, nullptr};
    case Kind::kLoop:
      return {Kind::kLoop, at, node->count, node->stride, 0, node->body, nullptr};
    case Kind::kTable:
      return {Kind::kTable, at, static_cast<std::int64_t>(node->offsets.size()), 0, 0, node->body, node};
    case Kind::kBlocks:
      return {Kind::kBlocks, at, static_cast<std::int64_t>(node->offsets.size()), 0, 0, nullptr, node};
    case Kind::kSequence:
      return {Kind::kSequence, at, 1, 0, 0, nullptr, node};
  }
  return {Kind::kRun, at, 0, 0, 0, nullptr, nullptr};
}

// What one side has still to give, the next item last.
using Stream = std::vector<Item>;

// Takes one copy, entry or part list apart.
void open(Stream& stream) {
  Item item = std::move(stream.back());
  stream.pop_back();
  if (item.kind == Kind::kSequence) {
    for (auto part = item.node->parts.rbegin(); part != item.node->parts.rend(); ++part)
      stream.push_back(item_of(part->node, item.at + part->offset));
    return;
  }
  Item one = item;
  if (item.kind == Kind::kLoop) {
    one = item_of(item.body, item.at);
    item.at += item.stride;
  } else {
    const auto i = static_cast<std::size_t>(item.first++);
    const std::int64_t at = item.at + item.node->offsets[i];
    one = item.kind == Kind::kTable ? item_of(item.body, at)
                                    : Item{Kind::kRun, at, item.node->lengths[i], 0, 0, nullptr, nullptr};
  }
  if (--item.count > 0) stream.push_back(std::move(item));
  stream.push_back(std::move(one));
}

// Drops the first n bytes of a run, or n copies or entries.
void take(Stream& stream, std::int64_t n) {
  Item& item = stream.back();
  item.count -= n;
  if (item.count == 0) {
    stream.pop_back();
    return;
  }
  if (item.kind == Kind::kRun)
    item.at += n;
  else if (item.kind == Kind::kLoop)
    item.at += n * item.stride;
  else
    item.first += n;
}

// n copies of a loop, or n bytes of a run, at the origin.
Item slice(const Item& item, std::int64_t n) {
  if (item.kind == Kind::kLoop && n == 1) return item_of(item.body, 0);
  Item part = item;
  part.at = 0;
  part.count = n;
  return part;
}

bool lists_runs(const Item& item) {
  return item.kind == Kind::kTable && item.body->kind == Kind::kRun;
}

class Zipper {
 public:
  bool zip(Stream source, Stream destination, std::vector<Joint>& steps) {
    if (++depth_ > kMostDepth) return false;
    while (!source.empty()) {
      if (++turns_ > kMostTurns) return false;
      if (must_open(source.back())) {
        open(source);
      } else if (must_open(destination.back())) {
        open(destination);
      } else if (!step(source, destination, steps)) {
        return false;
      }
    }
    --depth_;
    return true;
  }

 private:
  static bool must_open(const Item& item) {
    switch (item.kind) {
      case Kind::kSequence:
      case Kind::kBlocks:
        return true;
      case Kind::kTable:
        return !lists_runs(item) || item.count < kLeastListed;
      default:
        return item.kind == Kind::kLoop && item.count == 1;
    }
  }

  // The common beginning of both.
  bool step(Stream& source, Stream& destination, std::vector<Joint>& steps) {
    const Item &from = source.back(), &to = destination.back();
    if (from.kind == Kind::kRun && to.kind == Kind::kRun) {
      const std::int64_t bytes = std::min(from.count, to.count);
      add_block(steps, from.at, to.at, bytes);
      take(source, bytes);
      take(destination, bytes);
      return true;
    }
    if (lists_runs(from) || lists_runs(to)) return listed(source, destination, steps);
    if (from.kind == Kind::kRun || to.kind == Kind::kRun) return run_and_loop(source, destination, steps);
    return loops(source, destination, steps);
  }

  bool listed(Stream& source, Stream& destination, std::vector<Joint>& steps) {
    const Item &from = source.back(), &to = destination.back();
    const auto serves = [](const Item& item) {
      return lists_runs(item) ? item.node->offsets.width() == 4
                              : item.kind == Kind::kLoop && item.body->kind == Kind::kRun;
    };
    if (serves(from) && serves(to) && from.unit() == to.unit()) {
      const std::int64_t n = std::min(from.count, to.count);
      steps.push_back(listed_leaf(places(from), places(to), from.unit(), n));
      take(source, n);
      take(destination, n);
      return true;
    }
    // Against a run that holds all of it, its own kernel.
    const bool packs = lists_runs(from);
    const Item &list = packs ? from : to, &other = packs ? to : from;
    if (list.first == 0 && other.kind == Kind::kRun &&
        list.count == static_cast<std::int64_t>(list.node->offsets.size()) && other.count >= list.node->bytes) {
      const std::int64_t bytes = list.node->bytes, n = list.count;
      steps.push_back(side_leaf(packs, compiler_.step_of(*list.node), from.at, to.at, bytes));
      take(source, packs ? n : bytes);
      take(destination, packs ? bytes : n);
      return true;
    }
    open(lists_runs(from) ? source : destination);
    return true;
  }

  static SidePlaces places(const Item& item) {
    if (item.kind == Kind::kLoop) return {item.at, item.stride, {}, 0, false};
    return {item.at, 0, item.node->offsets, item.first, true};
  }

  bool run_and_loop(Stream& source, Stream& destination, std::vector<Joint>& steps) {
    const bool packs = destination.back().kind == Kind::kRun;
    Stream &of_loop = packs ? source : destination, &of_run = packs ? destination : source;
    const Item loop = of_loop.back(), run = of_run.back();
    const std::int64_t unit = loop.unit(), n = std::min(run.count / unit, loop.count);
    if (n == 0) {
      open(of_loop);
      return true;
    }
    const Item &from = packs ? loop : run, &to = packs ? run : loop;
    if (n * unit >= kLongRun && n > 1) {
      kept_.push_back(normal::make_loop(n, loop.stride, loop.body));
      steps.push_back(side_leaf(packs, compiler_.step_of(*kept_.back()), from.at, to.at, n * unit));
    } else {
      std::vector<Joint> body;
      Stream one{item_of(loop.body, 0)}, bytes{slice(run, unit)};
      if (!zip(packs ? one : bytes, packs ? bytes : one, body)) return false;
      add_loop(steps, {from.at, to.at, n, packs ? loop.stride : unit, packs ? unit : loop.stride}, std::move(body));
    }
    take(of_loop, n);
    take(of_run, n * unit);
    return true;
  }

  // p copies of the one side are as many bytes as q of the other: as often as both have them.
  bool loops(Stream& source, Stream& destination, std::vector<Joint>& steps) {
    const Item from = source.back(), to = destination.back();
    const std::int64_t common = std::gcd(from.unit(), to.unit()), p = to.unit() / common, q = from.unit() / common;
    const std::int64_t n = std::min(from.count / p, to.count / q);
    // Neither may be taken as it is again: that would not end.
    if (n == 0 || (n == 1 && p > 1 && q > 1) || (p > 1 && q > 1 && std::max(p, q) > kMostPeriods)) {
      open(from.unit() >= to.unit() ? source : destination);
      return true;
    }
    std::vector<Joint> body;
    if (!zip({slice(from, p)}, {slice(to, q)}, body)) return false;
    add_loop(steps, {from.at, to.at, n, p * from.stride, q * to.stride}, std::move(body));
    take(source, n * p);
    take(destination, n * q);
    return true;
  }

  Compiler compiler_;
  std::vector<NodePtr> kept_;  // what was made here: the compiler knows nodes by their addresses
  int turns_ = 0, depth_ = 0;
};

Stream stream_of(const Message& message) {
  const normal::Form& form = message.plan.form();
  if (message.count == 1) return {item_of(form.node, form.offset)};
  return {{Kind::kLoop, form.offset, message.count, message.plan.extent(), 0, form.node, nullptr}};
}

// No byte of the message, which is short, is written twice.
bool is_disjoint(const Message& message) {
  const Plan& plan = message.plan;
  if (!plan.form().node->disjoint) return false;
  return message.count == 1 || std::abs(plan.extent()) >= plan.high() - plan.low();
}

// No displacement is beyond what sums and products of strides can say.
bool is_short(const Message& message) {
  constexpr std::int64_t kShort = std::int64_t{1} << 56;
  std::int64_t reach;
  return message.plan.has_short_bounds() && !__builtin_mul_overflow(message.count, message.plan.extent(), &reach) &&
         reach > -kShort && reach < kShort;
}

// Whether a strip would do no better (move/copy.cpp): what is called again and again must be worth the calls, moves
// that take more than one pass over their memory must be wide, and a square's two sides must not both have all their
// rows in the same sets of the caches.
bool is_worth_it(const Joint& step, bool is_repeated) {
  constexpr std::int64_t kWorthMoves = 512, kPage = 4096;  // [bytes]
  switch (step.op) {
    case Joint::Op::kPack:
    case Joint::Op::kUnpack:
      return step.bytes >= kWorthACall;
    case Joint::Op::kMoves: {
      const kernel::Pattern& pattern = step.pattern->kernel();
      const auto runs = static_cast<std::int64_t>(pattern.runs.size());
      if (is_repeated && step.bytes < kWorthMoves) return false;
      return pattern.pack.size() <= 1 || pattern.bytes >= runs * kernel::kWidestMove;
    }
    case Joint::Op::kSquare:
      return step.source_stride % kPage != 0 || step.destination_stride % kPage != 0;
    default:
      return std::all_of(step.steps.begin(), step.steps.end(), [&](const Joint& inner) {
        return is_worth_it(inner, is_repeated || step.op == Joint::Op::kLoop);
      });
  }
}

}  // namespace

std::unique_ptr<const Joint> join(const Message& source, const Message& destination) {
  if (!is_short(source) || !is_short(destination) || !is_disjoint(destination)) return nullptr;
  std::vector<Joint> steps;
  if (!Zipper().zip(stream_of(source), stream_of(destination), steps)) return nullptr;
  Joint all = sequence_of(std::move(steps));
  return is_worth_it(all, false) ? std::make_unique<const Joint>(std::move(all)) : nullptr;
}

}  // namespace gapless::plan

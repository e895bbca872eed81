#include "plan/joint.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "plan/compiler.hpp"
#include "plan/cost.hpp"
#include "plan/joint_leaf.hpp"
#include "plan/stream.hpp"
#include "plan/units.hpp"

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
// What a program must move for each of its calls, if a walk in strips is not to do as well (move/copy.cpp) [bytes].
constexpr std::int64_t kWorthACall = 256;
constexpr std::int64_t kLeastListed = 16;
// Data that are in the caches anyway [bytes].
constexpr std::int64_t kFewBytes = 131072;
// What stays in a first cache, and what is worth the two calls of a strip in any case [bytes].
constexpr std::int64_t kNearBytes = 24576, kLeastStrip = 1024;
// As many times as the cost of what is planned for one element after the other may be, at most, what is planned for a
// form of many: its patterns are longer, and the costs know little of how long ones do.
constexpr double kWorthGrowing = 0.6;

// Copies of short runs, of which hardly two share a line.
bool is_far(const Item& item) {
  constexpr std::int64_t kSparse = 8;
  return item.kind == Kind::kLoop && item.body->kind == Kind::kRun && item.unit() <= kernel::kLine &&
         std::abs(item.stride) >= std::max(kernel::kLine, kSparse * item.unit());
}

// As many times as the cost of strips may be what takes none of them: data that are in the caches anyway are strips
// themselves, and beyond them what is moved once takes less of the memory's time than the costs say, which are moves.
// Where one side alone touches a line for each move, its lines take the time, and strips have the better kernels.
double worth_strips(std::int64_t bytes, const Item& from, const Item& to) {
  if (bytes <= kFewBytes) return 0.8;
  return (is_far(from) && to.unit() < kLongRun) != (is_far(to) && from.unit() < kLongRun) ? 0.55 : 1.4;
}

bool lists_runs(const Item& item) {
  return item.kind == Kind::kTable && item.body->kind == Kind::kRun;
}

class Zipper {
 public:
  explicit Zipper(std::int64_t bytes) : bytes_(bytes) {}

  bool zip(Stream source, Stream destination, std::vector<Joint>& steps) {
    if (++depth_ > kMostDepth) return false;
    while (!source.empty()) {
      if (++turns_ > kMostTurns) return false;
      say_in_units(source.back(), destination.back());
      say_in_units(destination.back(), source.back());
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

  // A list of short runs of unlike lengths is one of units where the other side has such units, or long runs.
  void say_in_units(Item& blocks, const Item& other) {
    if (blocks.kind != Kind::kBlocks || blocks.first != 0 || blocks.count < kLeastListed) return;
    const std::int64_t unit = units_of(*blocks.node), longest = unit_of_runs(other);
    if (unit == 0 || (longest != unit && (other.kind == Kind::kTable || longest < kLeastListed * unit))) return;
    NodePtr& table = tables_[blocks.node.get()];
    if (table == nullptr) table = normal::make_table(places_of(*blocks.node, unit), normal::make_run(unit));
    blocks = item_of(table, blocks.at);
  }

  // What all runs of an item are made of, or of a run what is left of it; 0 where they have nothing in common.
  std::int64_t unit_of_runs(const Item& item) {
    if (item.kind == Kind::kRun) return item.count;
    if (item.kind == Kind::kBlocks) return units_of(*item.node);
    const Node* inner = item.body.get();
    while (inner != nullptr && inner->kind != Kind::kRun) inner = inner->body.get();
    return inner != nullptr ? inner->bytes : 0;
  }

  std::int64_t units_of(const Node& blocks) {
    const auto [found, is_new] = units_.try_emplace(&blocks);
    if (is_new) found->second = unit_of(blocks);
    return found->second;
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
    // Of one that holds some of it, as many entries; a loop of such runs gives one of them.
    if (other.kind == Kind::kRun && serves(list) && other.count >= kLeastListed * list.unit()) {
      const std::int64_t unit = list.unit(), n = std::min(other.count / unit, list.count);
      const SidePlaces along{other.at, unit, {}, 0, false};
      steps.push_back(packs ? listed_leaf(places(from), along, unit, n) : listed_leaf(along, places(to), unit, n));
      take(source, packs ? n : n * unit);
      take(destination, packs ? n * unit : n);
      return true;
    }
    const bool has_long_runs = other.kind == Kind::kLoop && other.unit() >= kLeastListed * list.unit();
    open(packs != has_long_runs ? source : destination);
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
      bool done = false;
      if (!out_of_step(source, destination, packs, steps, done)) return false;
      if (!done) open(of_loop);
      return true;
    }
    const Item &from = packs ? loop : run, &to = packs ? run : loop;
    if (n * unit >= kLongRun && n > 1) {
      steps.push_back(side_leaf(packs, copies_of(loop, n), from.at, to.at, n * unit));
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

  // The one side is at a loop; the other is inside a copy of its own loop, so that the two never begin together. A
  // period then begins with what is left of that copy, and ends with as much of another as came before. False: the
  // walk is over; `done`: that it was so.
  bool out_of_step(Stream& source, Stream& destination, bool source_loops, std::vector<Joint>& steps, bool& done) {
    Stream &of_loop = source_loops ? source : destination, &of_rest = source_loops ? destination : source;
    const Item loop = of_loop.back();
    std::int64_t left = 0;
    std::size_t above = of_rest.size();
    while (above > 0 && of_rest[above - 1].kind == Kind::kRun) left += of_rest[--above].count;
    if (above == 0 || of_rest[above - 1].kind != Kind::kLoop) return true;
    const Item other = of_rest[above - 1];
    const std::int64_t unit = other.unit(), common = std::gcd(loop.unit(), unit), p = unit / common,
                       q = loop.unit() / common, n = std::min(loop.count / p, other.count / q);
    if (left >= unit || n < 2 || std::max(p, q) > kMostPeriods) return true;
    const auto end_of_copy = [&](std::int64_t i, Stream& end) {
      end = {item_of(other.body, other.at + i * other.stride)};
      return split_off(end, unit - left, nullptr);
    };
    Stream rest(of_rest.begin() + static_cast<std::ptrdiff_t>(above), of_rest.end()), end, period, copies{other};
    std::vector<Run> runs, expected;
    if (!end_of_copy(-1, end) || !list_runs(rest, runs) || !list_runs(end, expected) || runs != expected) return true;
    if (!split_off(copies, q * unit - left, &period)) return true;

    of_rest.resize(above);
    period.insert(period.end(), rest.begin(), rest.end());
    const std::int64_t origin = rest.back().at, stride = p * loop.stride, other_stride = q * other.stride;
    for (Item& item : period) item.at -= origin;
    std::vector<Joint> body, direct;
    const Stream one{slice(loop, p)};
    if (source_loops) {
      if (!zip(one, period, body)) return false;
      add_loop(direct, {loop.at, origin, n, stride, other_stride}, std::move(body));
    } else {
      if (!zip(period, one, body)) return false;
      add_loop(direct, {origin, loop.at, n, other_stride, stride}, std::move(body));
    }
    const double by_strips =
        source_loops ? cost_by_strips(loop, n * p, other, n * q) : cost_by_strips(other, n * q, loop, n * p);
    const bool is_most = n * p * loop.unit() > bytes_ / 2;
    if (is_most && cost_of(direct) > worth_strips(bytes_, loop, other) * by_strips) return false;
    for (Joint& step : direct) steps.push_back(std::move(step));
    take(of_loop, n * p);
    take(of_rest, n * q);
    end_of_copy(n * q - 1, end);
    of_rest.insert(of_rest.end(), end.begin(), end.end());
    return done = true;
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
    std::vector<Joint> direct, strips;
    add_loop(direct, {from.at, to.at, n, p * from.stride, q * to.stride}, std::move(body));
    add_strips(strips, from, p, to, q, n);
    std::vector<Joint>& chosen =
        strips.empty() || cost_of(direct) <= worth_strips(bytes_, from, to) * cost_of(strips) ? direct : strips;
    for (Joint& step : chosen) steps.push_back(std::move(step));
    take(source, n * p);
    take(destination, n * q);
    return true;
  }

  std::shared_ptr<const Step> copies_of(const Item& loop, std::int64_t n) {
    kept_.push_back(n == 1 ? loop.body : normal::make_loop(n, loop.stride, loop.body));
    return compiler_.step_of(*kept_.back());
  }

  double cost_by_strips(const Item& from, std::int64_t copies, const Item& to, std::int64_t to_copies) {
    return costs_.pack(*copies_of(from, copies)) + costs_.unpack(*copies_of(to, to_copies));
  }

  double cost_of(const std::vector<Joint>& steps) {
    double sum = 0;
    for (const Joint& step : steps) sum += costs_.of(step);
    return sum;
  }

  // Of what `copies` of a loop touch, a line more for each of them than is moved, if it has such gaps.
  static std::int64_t touched_by(const Item& loop, std::int64_t copies) {
    return copies * std::min(std::abs(loop.stride), loop.unit() + kernel::kLine);
  }

  // n times p copies of the one side and q of the other, as many at a time as a strip has room for, and the first cache
  // for all that the strip, its source and its destination touch; but enough of them for a call. Where each is a line
  // from beyond the caches, long strips read ahead better.
  void add_strips(std::vector<Joint>& steps, const Item& from, std::int64_t p, const Item& to, std::int64_t q,
                  std::int64_t n) {
    const std::int64_t bytes = p * from.unit();
    if (bytes > kStripBytes) return;
    const bool is_beyond = bytes_ > kFewBytes && (is_far(from) || is_far(to));
    const std::int64_t near = is_beyond ? n : kNearBytes / (bytes + touched_by(from, p) + touched_by(to, q));
    const std::int64_t each =
        std::min({std::max({near, kLeastStrip / bytes, std::int64_t{1}}), kStripBytes / bytes, n});
    const auto add = [&](std::int64_t first, std::int64_t count, std::int64_t periods) {
      const std::int64_t source = p * from.stride, destination = q * to.stride;
      steps.push_back(strips_leaf(
          {from.at + first * source, to.at + first * destination, count, periods * source, periods * destination},
          copies_of(from, p * periods), copies_of(to, q * periods)));
    };
    add(0, n / each, each);
    if (n % each != 0) add(n - n % each, 1, n % each);
  }

  Compiler compiler_;
  std::vector<NodePtr> kept_;  // what was made here: the compiler knows nodes by their addresses
  std::unordered_map<const Node*, std::int64_t> units_;  // of lists of runs of unlike lengths
  std::unordered_map<const Node*, NodePtr> tables_;      // the same lists in units
  Costs costs_;
  const std::int64_t bytes_;  // of the messages
  int turns_ = 0, depth_ = 0;
};

// No byte of the message, which is short, is written twice.
bool is_disjoint(const Message& message) {
  const Plan& plan = message.plan;
  const NodePtr& one = plan.form().node;
  return message.count == 1 ? one->disjoint : normal::make_loop(message.count, plan.extent(), one)->disjoint;
}

// No displacement is beyond what sums and products of strides can say.
bool is_short(const Message& message) {
  constexpr std::int64_t kShort = std::int64_t{1} << 56;
  std::int64_t reach;
  return message.plan.has_short_bounds() && !__builtin_mul_overflow(message.count, message.plan.extent(), &reach) &&
         reach > -kShort && reach < kShort;
}

// Whether what is written twice ends as the later of the two.
bool keeps_order(const Joint& step) {
  switch (step.op) {
    case Joint::Op::kBlock:
    case Joint::Op::kListed:
    case Joint::Op::kPack:
    case Joint::Op::kUnpack:
    case Joint::Op::kStrips:
      return true;
    case Joint::Op::kSequence:
      return std::all_of(step.steps.begin(), step.steps.end(), keeps_order);
    case Joint::Op::kMoves:
    case Joint::Op::kSquare:
    case Joint::Op::kLoop:
      return false;
  }
  return false;
}

std::int64_t calls_of(const Joint& step) {
  std::int64_t calls = 0;
  for (const Joint& inner : step.steps) {
    // In a loop, moves are made for many repetitions at a time.
    const bool repeats = step.op == Joint::Op::kLoop && is_row(inner);
    calls += (repeats ? tiles_of(step) : step.count) * calls_of(inner);
  }
  return std::max<std::int64_t>(calls, 1);
}

}  // namespace

std::unique_ptr<const Joint> join(const Message& source, const Message& destination) {
  if (!is_short(source) || !is_short(destination)) return nullptr;
  const bool any_order = is_disjoint(destination);
  std::unique_ptr<const Joint> best;
  double least = std::numeric_limits<double>::infinity();
  for (const bool grown_source : {false, true}) {
    for (const bool grown_destination : {false, true}) {
      if ((grown_source && !has_grown(source)) || (grown_destination && !has_grown(destination))) continue;
      std::vector<Joint> steps;
      Zipper zipper(source.count * source.plan.size());
      if (!zipper.zip(stream_of(source, grown_source), stream_of(destination, grown_destination), steps)) continue;
      Joint all = sequence_of(std::move(steps));
      if (all.bytes / kWorthACall < calls_of(all) || (!any_order && !keeps_order(all))) continue;
      const bool is_plain = !grown_source && !grown_destination;
      const double cost = (is_plain ? kWorthGrowing : 1) * Costs().of(all);
      if (cost >= least) continue;
      least = cost;
      best = std::make_unique<const Joint>(std::move(all));
    }
  }
  return best;
}

}  // namespace gapless::plan

#include "plan/joint_builder.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "kernel/caches.hpp"
#include "plan/compiler.hpp"
#include "plan/cost.hpp"
#include "plan/joint_leaf.hpp"
#include "plan/units.hpp"

namespace gapless::plan {
namespace {

using normal::Kind;
using normal::Node;
using normal::NodePtr;

// The most turns of the loop in build(), opened copies included: a longer program would cost more to make and to run
// than a walk along the runs.
constexpr int kMaxTurns = 1024;
constexpr int kMaxDepth = 64;
// A common multiple of two periods is worth a loop if it is at most this many of either.
constexpr std::int64_t kMaxPeriods = 64;
constexpr std::int64_t kMinListed = 16;
// Messages of at most this size are in the caches anyway [bytes].
constexpr std::int64_t kFewBytes = 131072;
// What stays in a first-level cache, and what is worth the two calls of a strip in any case [bytes].
constexpr std::int64_t kNearBytes = 24576, kMinStrip = 1024;

// True for copies of short runs, hardly any two of which share a line.
bool is_sparse(const Segment& segment) {
  constexpr std::int64_t kSparse = 8;
  return segment.kind == Kind::kLoop && segment.body->kind == Kind::kRun && segment.unit() <= kernel::kLine &&
         std::abs(segment.stride) >= std::max(kernel::kLine, kSparse * segment.unit());
}

// True for copies of short runs that take a walk through the page tables each, and lie at one or two places of their
// pages. Moved one by one they take 1.3 times as long as packed by a kernel that sees many of them at once (rows of 512
// ints in `gapless bench copy`); at other places of their pages as long.
bool walks_pages(const Segment& segment) {
  constexpr std::int64_t kHalfPage = 2048;
  return is_sparse(segment) && segment.stride % kHalfPage == 0 && kernel::misses_tlb(segment.count, segment.stride);
}

// The factor by which direct moves may exceed the cost of strips and are still chosen. Data that are in the caches
// anyway are strips themselves; beyond the caches, data that are moved once take less of the memory's time than their
// cost says, which counts moves. If one side alone touches a line for each move, its lines take the time, and strips
// have the better kernels.
double worth_strips(std::int64_t bytes, const Segment& from, const Segment& to) {
  if (walks_pages(from)) return 0.4;
  if (bytes <= kFewBytes) return 0.8;
  return (is_sparse(from) && to.unit() < kLongRun) || (is_sparse(to) && from.unit() < kLongRun) ? 0.45 : 1.4;
}

bool lists_runs(const Segment& segment) {
  return segment.kind == Kind::kTable && segment.body->kind == Kind::kRun;
}

class JointBuilder {
 public:
  explicit JointBuilder(std::int64_t bytes) : bytes_(bytes) {}

  // False: gives up, as do all functions below that return a bool.
  bool build(Segments source, Segments destination, std::vector<Joint>& steps) {
    if (++depth_ > kMaxDepth) return false;
    while (!source.empty()) {
      if (++turns_ > kMaxTurns) return false;
      split_into_units(source.back(), destination.back());
      split_into_units(destination.back(), source.back());
      if (must_open(source.back())) {
        open(source);
      } else if (must_open(destination.back())) {
        open(destination);
      } else if (!join_front(source, destination, steps)) {
        return false;
      }
    }
    --depth_;
    return true;
  }

 private:
  // How the attempt to join a loop with one that is shifted against it ended.
  enum class Shifted { kJoined, kNoMatch, kGivenUp };

  // A list of runs of unlike lengths in equal blocks.
  struct UnitList {
    std::int64_t unit;  // [bytes] of a block; 0: not worth it
    NodePtr table;      // made when it is first used
  };

  static bool must_open(const Segment& segment) {
    switch (segment.kind) {
      case Kind::kSequence:
      case Kind::kBlocks:
        return true;
      case Kind::kTable:
        return !lists_runs(segment) || segment.count < kMinListed;
      default:
        return segment.kind == Kind::kLoop && segment.count == 1;
    }
  }

  // Turns a list of short runs of unlike lengths into one of units if the other side has such units, or long runs.
  void split_into_units(Segment& blocks, const Segment& other) {
    if (blocks.kind != Kind::kBlocks || blocks.first != 0 || blocks.count < kMinListed) return;
    UnitList& list = units_of(*blocks.node);
    const std::int64_t unit = list.unit, longest = unit_of_runs(other);
    if (unit == 0 || (longest != unit && (other.kind == Kind::kTable || longest < kMinListed * unit))) return;
    if (list.table == nullptr)
      list.table = normal::make_table(unit_offsets(*blocks.node, unit), normal::make_run(unit));
    blocks = segment_of(list.table, blocks.at);
  }

  // The length that divides those of all runs of a segment, or the rest of a run; 0 if there is none.
  std::int64_t unit_of_runs(const Segment& segment) {
    if (segment.kind == Kind::kRun) return segment.count;
    if (segment.kind == Kind::kBlocks) return units_of(*segment.node).unit;
    const Node* inner = segment.body.get();
    while (inner != nullptr && inner->kind != Kind::kRun) inner = inner->body.get();
    return inner != nullptr ? inner->bytes : 0;
  }

  UnitList& units_of(const Node& blocks) {
    const auto [found, is_new] = unit_lists_.try_emplace(&blocks);
    if (is_new) found->second.unit = unit_of(blocks);
    return found->second;
  }

  // Joins what both begin with, or opens one of them.
  bool join_front(Segments& source, Segments& destination, std::vector<Joint>& steps) {
    const Segment &from = source.back(), &to = destination.back();
    if (from.kind == Kind::kRun && to.kind == Kind::kRun) {
      const std::int64_t bytes = std::min(from.count, to.count);
      add_block(steps, from.at, to.at, bytes);
      take(source, bytes);
      take(destination, bytes);
      return true;
    }
    if (lists_runs(from) || lists_runs(to)) return join_listed(source, destination, steps);
    if (from.kind == Kind::kRun || to.kind == Kind::kRun) return join_run_with_loop(source, destination, steps);
    return join_loops(source, destination, steps);
  }

  bool join_listed(Segments& source, Segments& destination, std::vector<Joint>& steps) {
    const Segment &from = source.back(), &to = destination.back();
    const auto serves = [](const Segment& segment) {
      return lists_runs(segment) ? segment.node->offsets.width() == 4
                                 : segment.kind == Kind::kLoop && segment.body->kind == Kind::kRun;
    };
    if (serves(from) && serves(to) && from.unit() == to.unit()) {
      const std::int64_t n = std::min(from.count, to.count);
      steps.push_back(listed_leaf(offsets_of(from), offsets_of(to), from.unit(), n));
      take(source, n);
      take(destination, n);
      return true;
    }
    // With a run that holds all of the list: the list's own kernel.
    const bool packs = lists_runs(from);
    const Segment &list = packs ? from : to, &other = packs ? to : from;
    if (list.first == 0 && other.kind == Kind::kRun &&
        list.count == static_cast<std::int64_t>(list.node->offsets.size()) && other.count >= list.node->bytes) {
      const std::int64_t bytes = list.node->bytes, n = list.count;
      steps.push_back(side_leaf(packs, compiler_.step_of(*list.node), from.at, to.at, bytes));
      take(source, packs ? n : bytes);
      take(destination, packs ? bytes : n);
      return true;
    }
    // With a run that holds some of the list: that many entries. A loop of such runs is opened below.
    if (other.kind == Kind::kRun && serves(list) && other.count >= kMinListed * list.unit()) {
      const std::int64_t unit = list.unit(), n = std::min(other.count / unit, list.count);
      const SideOffsets along{other.at, unit, {}, 0, false};
      steps.push_back(packs ? listed_leaf(offsets_of(from), along, unit, n)
                            : listed_leaf(along, offsets_of(to), unit, n));
      take(source, packs ? n : n * unit);
      take(destination, packs ? n * unit : n);
      return true;
    }
    const bool has_long_runs = other.kind == Kind::kLoop && other.unit() >= kMinListed * list.unit();
    open(packs != has_long_runs ? source : destination);
    return true;
  }

  static SideOffsets offsets_of(const Segment& segment) {
    if (segment.kind == Kind::kLoop) return {segment.at, segment.stride, {}, 0, false};
    return {segment.at, 0, segment.node->offsets, segment.first, true};
  }

  bool join_run_with_loop(Segments& source, Segments& destination, std::vector<Joint>& steps) {
    const bool packs = destination.back().kind == Kind::kRun;
    Segments &of_loop = packs ? source : destination, &of_run = packs ? destination : source;
    const Segment loop = of_loop.back(), run = of_run.back();
    const std::int64_t unit = loop.unit(), n = std::min(run.count / unit, loop.count);
    if (n == 0) {
      const Shifted outcome = join_shifted_loops(source, destination, packs, steps);
      if (outcome == Shifted::kNoMatch) open(of_loop);
      return outcome != Shifted::kGivenUp;
    }
    const Segment &from = packs ? loop : run, &to = packs ? run : loop;
    if (n * unit >= kLongRun && n > 1) {
      steps.push_back(side_leaf(packs, copies_of(loop, n), from.at, to.at, n * unit));
      steps.back().far = is_far(loop);
    } else {
      std::vector<Joint> body;
      Segments one{segment_of(loop.body, 0)}, bytes{slice(run, unit)};
      if (!build(packs ? one : bytes, packs ? bytes : one, body)) return false;
      add_loop(steps, {from.at, to.at, n, packs ? loop.stride : unit, packs ? unit : loop.stride}, std::move(body));
    }
    take(of_loop, n);
    take(of_run, n * unit);
    return true;
  }

  // Joins two loops that never begin together: one side is at a loop, the other inside a copy of its own loop. A period
  // then begins with the rest of that copy, and ends with as much of another copy as came before.
  Shifted join_shifted_loops(Segments& source, Segments& destination, bool source_loops, std::vector<Joint>& steps) {
    Segments &of_loop = source_loops ? source : destination, &of_rest = source_loops ? destination : source;
    const Segment loop = of_loop.back();
    std::int64_t left = 0;
    std::size_t above = of_rest.size();
    while (above > 0 && of_rest[above - 1].kind == Kind::kRun) left += of_rest[--above].count;
    if (above == 0 || of_rest[above - 1].kind != Kind::kLoop) return Shifted::kNoMatch;
    const Segment other = of_rest[above - 1];
    const std::int64_t unit = other.unit(), common = std::gcd(loop.unit(), unit), p = unit / common,
                       q = loop.unit() / common, n = std::min(loop.count / p, other.count / q);
    if (left >= unit || n < 2 || std::max(p, q) > kMaxPeriods) return Shifted::kNoMatch;
    const auto end_of_copy = [&](std::int64_t i, Segments& end) {
      end = {segment_of(other.body, other.at + i * other.stride)};
      return split_off(end, unit - left, nullptr);
    };
    Segments rest(of_rest.begin() + static_cast<std::ptrdiff_t>(above), of_rest.end()), end, period, copies{other};
    std::vector<ByteRun> runs, expected;
    if (!end_of_copy(-1, end) || !list_runs(rest, runs) || !list_runs(end, expected) || runs != expected)
      return Shifted::kNoMatch;
    if (!split_off(copies, q * unit - left, &period)) return Shifted::kNoMatch;

    of_rest.resize(above);
    period.insert(period.end(), rest.begin(), rest.end());
    const std::int64_t origin = rest.back().at, stride = p * loop.stride, other_stride = q * other.stride;
    for (Segment& segment : period) segment.at -= origin;
    std::vector<Joint> body, direct;
    const Segments one{slice(loop, p)};
    if (source_loops) {
      if (!build(one, period, body)) return Shifted::kGivenUp;
      add_loop(direct, {loop.at, origin, n, stride, other_stride}, std::move(body));
    } else {
      if (!build(period, one, body)) return Shifted::kGivenUp;
      add_loop(direct, {origin, loop.at, n, other_stride, stride}, std::move(body));
    }
    const double by_strips =
        source_loops ? cost_by_strips(loop, n * p, other, n * q) : cost_by_strips(other, n * q, loop, n * p);
    const bool is_most = n * p * loop.unit() > bytes_ / 2;
    if (is_most && cost_of(direct) > worth_strips(bytes_, loop, other) * by_strips) return Shifted::kGivenUp;
    for (Joint& step : direct) steps.push_back(std::move(step));
    take(of_loop, n * p);
    take(of_rest, n * q);
    end_of_copy(n * q - 1, end);
    of_rest.insert(of_rest.end(), end.begin(), end.end());
    return Shifted::kJoined;
  }

  // Joins two loops: p copies of one are as many bytes as q of the other, repeated as long as both have them.
  bool join_loops(Segments& source, Segments& destination, std::vector<Joint>& steps) {
    const Segment from = source.back(), to = destination.back();
    const std::int64_t common = std::gcd(from.unit(), to.unit()), p = to.unit() / common, q = from.unit() / common;
    const std::int64_t n = std::min(from.count / p, to.count / q);
    // Otherwise both would be joined as they are again, without end.
    if (n == 0 || (n == 1 && p > 1 && q > 1) || (p > 1 && q > 1 && std::max(p, q) > kMaxPeriods)) {
      open(from.unit() >= to.unit() ? source : destination);
      return true;
    }
    std::vector<Joint> body;
    if (!build({slice(from, p)}, {slice(to, q)}, body)) return false;
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

  std::shared_ptr<const Step> copies_of(const Segment& loop, std::int64_t n) {
    kept_.push_back(n == 1 ? loop.body : normal::make_loop(n, loop.stride, loop.body));
    return compiler_.step_of(*kept_.back());
  }

  double cost_by_strips(const Segment& from, std::int64_t copies, const Segment& to, std::int64_t to_copies) {
    return costs_.pack(*copies_of(from, copies)) + costs_.unpack(*copies_of(to, to_copies));
  }

  double cost_of(const std::vector<Joint>& steps) {
    double sum = 0;
    for (const Joint& step : steps) sum += costs_.of(step);
    return sum;
  }

  // True for a side that touches a line for each short run, and more of them in the message than the caches hold.
  bool is_far(const Segment& side) const {
    return is_sparse(side) && bytes_ / side.unit() > kernel::far_bytes() / (side.unit() + kernel::kLine);
  }

  // The bytes that `copies` of a loop touch: up to one line more than is moved for each, if it has such gaps.
  static std::int64_t touched_by(const Segment& loop, std::int64_t copies) {
    return copies * std::min(std::abs(loop.stride), loop.unit() + kernel::kLine);
  }

  // Adds n times p copies of one side and q of the other as strips. A strip holds as many as fit into it and as the
  // first-level cache holds with all that source and destination touch, but enough for a call. If each copy is a line
  // from beyond the caches, strips are long, which the hardware prefetcher follows better; and longer, if from other
  // pages each.
  void add_strips(std::vector<Joint>& steps, const Segment& from, std::int64_t p, const Segment& to, std::int64_t q,
                  std::int64_t n) {
    const std::int64_t bytes = p * from.unit();
    if (bytes > kStripBytes) return;
    const bool walks = walks_pages(from);
    const bool is_beyond = walks || (bytes_ > kFewBytes && (is_sparse(from) || is_sparse(to)));
    const std::int64_t most = walks ? kLongStripBytes : kStripBytes;
    const std::int64_t near = is_beyond ? n : kNearBytes / (bytes + touched_by(from, p) + touched_by(to, q));
    const std::int64_t each = std::min({std::max({near, kMinStrip / bytes, std::int64_t{1}}), most / bytes, n});
    const auto add = [&](std::int64_t first, std::int64_t count, std::int64_t periods) {
      const std::int64_t source = p * from.stride, destination = q * to.stride;
      steps.push_back(strips_leaf(
          {from.at + first * source, to.at + first * destination, count, periods * source, periods * destination},
          copies_of(from, p * periods), copies_of(to, q * periods)));
      steps.back().far = is_far(to);
      steps.back().from_far = is_far(from);
    };
    add(0, n / each, each);
    if (n % each != 0) add(n - n % each, 1, n % each);
  }

  Compiler compiler_;
  std::vector<NodePtr> kept_;  // nodes made here: the compiler identifies nodes by their addresses
  std::unordered_map<const Node*, UnitList> unit_lists_;
  Costs costs_;
  const std::int64_t bytes_;  // of the messages
  int turns_ = 0, depth_ = 0;
};

}  // namespace

bool build_joint(Segments source, Segments destination, std::int64_t bytes, std::vector<Joint>& steps) {
  return JointBuilder(bytes).build(std::move(source), std::move(destination), steps);
}

}  // namespace gapless::plan

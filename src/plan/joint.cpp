#include "plan/joint.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "plan/cost.hpp"
#include "plan/joint_builder.hpp"
#include "plan/joint_leaf.hpp"

namespace gapless::plan {
namespace {

using normal::NodePtr;

// A program must move this much for each of its calls; if it moves less, a walk in strips does as well (move/copy.cpp)
// [bytes].
constexpr std::int64_t kWorthACall = 256;
// A plan for a folded form is chosen only if its cost is below this share of the cost element by element: its patterns
// are longer, and the costs are less certain for long ones.
constexpr double kWorthFolding = 0.6;

// True if no byte of the message, for which is_short() holds, is written twice.
bool is_disjoint(const Message& message) {
  const Plan& plan = message.plan;
  const NodePtr& one = plan.form().node;
  return message.count == 1 ? one->disjoint : normal::make_loop(message.count, plan.extent(), one)->disjoint;
}

// True if sums and products of the message's displacements and strides do not overflow.
bool is_short(const Message& message) {
  constexpr std::int64_t kShort = std::int64_t{1} << 56;
  std::int64_t reach;
  return message.plan.has_short_bounds() && !__builtin_mul_overflow(message.count, message.plan.extent(), &reach) &&
         reach > -kShort && reach < kShort;
}

// True if of two writes to one byte the later one in type-map order wins.
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

// The calls of kernels that a step makes.
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
  for (const bool fold_source : {false, true}) {
    for (const bool fold_destination : {false, true}) {
      if ((fold_source && !has_folded_form(source)) || (fold_destination && !has_folded_form(destination))) continue;
      std::vector<Joint> steps;
      if (!build_joint(segments_of(source, fold_source), segments_of(destination, fold_destination),
                       source.count * source.plan.size(), steps))
        continue;
      Joint all = sequence_of(std::move(steps));
      if (all.bytes / kWorthACall < calls_of(all) || (!any_order && !keeps_order(all))) continue;
      const bool is_plain = !fold_source && !fold_destination;
      const double cost = (is_plain ? kWorthFolding : 1) * Costs().of(all);
      if (cost >= least) continue;
      least = cost;
      best = std::make_unique<const Joint>(std::move(all));
    }
  }
  return best;
}

}  // namespace gapless::plan

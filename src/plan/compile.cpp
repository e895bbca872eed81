#include "plan/compiler.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "kernel/caches.hpp"
#include "normal/normalise.hpp"
#include "plan/plan.hpp"
#include "plan/step.hpp"
#include "plan/units.hpp"

namespace gapless::plan {
namespace {

using normal::Kind;
using normal::Node;
using StepPtr = std::shared_ptr<const Step>;

// Rows of more blocks than this are worth a loop of their own within a kernel.
constexpr std::int64_t kMostRowPattern = 8;

Step nest_of_run(std::int64_t bytes) {
  Step step;
  step.block = step.inner_stride = bytes;
  step.nest = &kernel::nest_for(kernel::chosen(), bytes);
  return step;
}

// Rows become a nest of two levels; its pattern is that of a row.
void set_rows(Step& nest, std::int64_t count, std::int64_t stride) {
  nest.outer_count = count;
  nest.outer_stride = stride;
  if (std::abs(nest.inner_stride) >= kernel::kLine && stride == nest.block)
    nest.transpose = kernel::transpose_for(kernel::chosen(), nest.block);
}

// Bytes of the lines that are touched, at most: a run touches one more than it has bytes for, and where gaps are
// shorter than a line none is touched twice.
std::int64_t touched_bytes(const Node& node) {
  std::int64_t by_run;
  if (__builtin_mul_overflow(node.runs, kernel::kLine, &by_run) || __builtin_add_overflow(by_run, node.bytes, &by_run))
    return node.high - node.low;
  return std::min(by_run, node.high - node.low);
}

bool is_spread(const Node& list) {
  return touched_bytes(list) > kernel::far_bytes();
}

Step table_of(base::Numbers offsets, std::int64_t block) {
  Step step;
  step.op = Op::kTable;
  step.block = block;
  step.listed = &kernel::listed_for(kernel::chosen(), block, offsets.width());
  step.offsets = std::move(offsets);
  return step;
}

Step blocks_of(const Node& node) {
  if (const std::int64_t unit = unit_of(node); unit != 0) {
    Step step = table_of(places_of(node, unit), unit);
    step.spread = is_spread(node);
    return step;
  }
  Step step;
  step.op = Op::kBlocks;
  step.offsets = node.offsets;
  step.lengths = node.lengths;
  step.runs = &kernel::runs_for(kernel::chosen(), node.offsets.width(), node.lengths.width());
  step.spread = is_spread(node);
  std::int64_t start = 0;
  step.starts.reserve(node.lengths.size() / kStartsEach + 1);
  node.lengths.with_raw([&](const auto* raw) {
    for (std::size_t i = 0; i < node.lengths.size(); ++i) {
      if (i % kStartsEach == 0) step.starts.push_back(start);
      start += raw[i] * node.lengths.scale();
    }
  });
  return step;
}

// Step::ascending: of copies that reach over as many bytes each, or of runs of listed lengths.
bool ascends(const base::Numbers& offsets, std::int64_t each, const base::Numbers& lengths) {
  return offsets.with_raw([&](const auto* raw) {
    for (std::size_t i = 1; i < offsets.size(); ++i) {
      std::int64_t apart;
      if (__builtin_sub_overflow(raw[i] * offsets.scale(), raw[i - 1] * offsets.scale(), &apart) ||
          apart < (lengths.empty() ? each : lengths[i - 1])) {
        return false;
      }
    }
    return true;
  });
}

bool ascends(const Step& step) {
  switch (step.op) {
    case Op::kTable:
      return ascends(step.offsets, step.block, {});
    case Op::kBlocks:
      return ascends(step.offsets, 0, step.lengths);
    case Op::kPlaces:
      return ascends(step.offsets, step.steps[0]->high - step.steps[0]->low, {});
    default:
      return false;
  }
}

// Elements that touch no more than the caches hold, on both sides.
std::int64_t far_count(const Node& node) {
  std::int64_t both;
  return __builtin_add_overflow(touched_bytes(node), node.bytes, &both) ? 0 : kernel::far_bytes() / both;
}

}  // namespace

std::shared_ptr<const Step> Compiler::repeated(const Node& node) {
  const std::shared_ptr<Step> step = made(node);
  if (step->op != Op::kNest && step->pattern == nullptr) set_pattern(*step, pattern_of(*step), costs_.pack(*step));
  return step;
}

std::shared_ptr<Step> Compiler::made(const Node& node) {
  if (const auto known = known_.find(&node); known != known_.end()) return known->second;
  auto step = std::make_shared<Step>(build(node));
  step->bytes = node.bytes;
  step->low = node.low;
  step->high = node.high;
  step->disjoint = node.disjoint;
  step->ascending = ascends(*step);
  known_.emplace(&node, step);
  return step;
}

Step Compiler::build(const Node& node) {
  switch (node.kind) {
    case Kind::kRun:
      return nest_of_run(node.bytes);
    case Kind::kLoop:
      return of_loop(node);
    case Kind::kTable:
      return of_table(node);
    case Kind::kBlocks:
      return blocks_of(node);
    case Kind::kSequence:
      return of_sequence(node);
  }
  return {};
}

// A loop becomes the outer level of its body's nest where a level is free.
Step Compiler::of_loop(const Node& node) {
  const StepPtr body = repeated(*node.body);
  if (body->op == Op::kNest && body->inner_count == 1) {
    Step nest = *body;
    nest.inner_count = node.count;
    nest.inner_stride = node.stride;
    if (nest.inner_count <= kMostRowPattern) set_pattern(nest, pattern_of_row(nest), row_cost(nest));
    return nest;
  }
  if (body->op == Op::kNest && body->outer_count == 1) {
    Step nest = *body;
    set_rows(nest, node.count, node.stride);
    return nest;
  }
  Step step;
  step.op = Op::kLoop;
  step.count = node.count;
  step.stride = node.stride;
  step.steps.push_back(body);
  return step;
}

Step Compiler::of_table(const Node& node) {
  Step step;
  step.offsets = node.offsets;
  if (node.body->kind == Kind::kRun) {
    step = table_of(node.offsets, node.body->bytes);
    step.spread = is_spread(node);
  } else {
    step.op = Op::kPlaces;
    step.steps.push_back(step_of(*node.body));
  }
  return step;
}

Step Compiler::of_sequence(const Node& node) {
  Step step;
  step.op = Op::kSequence;
  std::vector<std::int64_t> offsets;
  offsets.reserve(node.parts.size());
  step.starts.reserve(node.parts.size());
  step.steps.reserve(node.parts.size());
  std::int64_t start = 0;
  for (const normal::Part& part : node.parts) {
    offsets.push_back(part.offset);
    step.starts.push_back(start);
    step.steps.push_back(step_of(*part.node));
    start += part.node->bytes;
  }
  step.offsets = base::Numbers(offsets);
  return step;
}

// The costs are all but linear in the number of elements: a few numbers show from where on one of them stays below.
std::int64_t Compiler::fewest_grown(const Step& one, std::int64_t extent, const Growth& growth) {
  // Copies that neither begin nor end in another way than the rest are the elements, or more of what they are made of.
  constexpr std::int64_t kHuge = std::int64_t{1} << 40;
  if ((!growth.before && !growth.after) || growth.each > kHuge) return growth.fewest;
  const auto both = [&](auto cost) { return cost(true) + cost(false); };
  std::int64_t fewest = 0;
  for (const std::int64_t count : {256, 64, 32, 16, 8, 6, 4, 3, 2, 1}) {
    if (count < growth.fewest) break;
    const double together = both([&](bool packs) { return costs_.grown(growth, count, packs); });
    const double one_by_one = both([&](bool packs) { return costs_.loop(one, count, extent, packs); });
    if (together > one_by_one) break;
    fewest = count;
  }
  return fewest;
}

PlanPtr compile(const normal::MessageForm& message, std::int64_t extent) {
  std::shared_ptr<Plan> plan(new Plan);
  const normal::Form& form = message.one;
  plan->message_.one = form;
  plan->extent_ = extent;
  if (!form.node) {
    plan->root_ = std::make_shared<const Step>();
    return plan;
  }
  plan->offset_ = form.offset;
  plan->size_ = form.node->bytes;
  plan->runs_ = form.node->runs;
  plan->low_ = form.offset + form.node->low;
  plan->high_ = form.offset + form.node->high;
  constexpr std::int64_t kShort = std::int64_t{1} << 56;
  plan->short_bounds_ = plan->low_ > -kShort && plan->high_ < kShort;
  plan->far_count_ = far_count(*form.node);
  plan->contiguous_ = form.node->kind == Kind::kRun && form.node->bytes == extent;
  // A copy for each element, and none besides, is what they are one by one.
  if (message.each != 1 || message.extra != 0) plan->message_ = message;
  Compiler compiler;
  plan->root_ = compiler.repeated(*form.node);
  if (!message.body || message.body->kind != Kind::kLoop) return plan;
  auto growth = std::make_shared<Growth>();
  if (message.before.node) growth->before = compiler.step_of(*message.before.node);
  if (message.after.node) growth->after = compiler.step_of(*message.after.node);
  growth->before_offset = message.before.offset;
  growth->after_offset = message.after.offset;
  growth->body = compiler.step_of(*message.body);
  growth->body_offset = message.body_offset;
  growth->copy_bytes = message.body->body->bytes;
  growth->each = message.each;
  growth->extra = message.extra;
  growth->fewest = message.min_count();
  growth->fewest = compiler.fewest_grown(*plan->root_, extent, *growth);
  if (growth->fewest == 0) return plan;
  plan->growth_ = std::move(growth);
  return plan;
}

PlanPtr compile(const layout::Layout& type) {
  return compile(normal::normalise_message(type), type.extent);
}

}  // namespace gapless::plan

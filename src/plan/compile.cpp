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

// Rows of more blocks are worth a loop of their own within a kernel.
constexpr std::int64_t kMaxRowPattern = 8;

Step nest_of_run(std::int64_t bytes) {
  Step step;
  step.block = step.inner_stride = bytes;
  step.nest = &kernel::nest_for(kernel::chosen(), bytes);
  return step;
}

// Turns a row into a nest of two levels; its pattern is that of a row.
void set_rows(Step& nest, std::int64_t count, std::int64_t stride) {
  nest.outer_count = count;
  nest.outer_stride = stride;
  if (std::abs(nest.inner_stride) >= kernel::kLine && stride == nest.block)
    nest.transpose = kernel::transpose_for(kernel::chosen(), nest.block);
}

// An upper bound of the bytes of the lines touched: a run touches at most one line more than its length, and if gaps
// are shorter than a line, no line is counted twice.
std::int64_t touched_bytes(const Node& node) {
  std::int64_t by_run;
  if (__builtin_mul_overflow(node.runs, kernel::kLine, &by_run) || __builtin_add_overflow(by_run, node.bytes, &by_run))
    return node.high - node.low;
  return std::min(by_run, node.high - node.low);
}

bool is_far(const Node& list) {
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
    Step step = table_of(unit_offsets(node, unit), unit);
    step.far = is_far(node);
    return step;
  }
  Step step;
  step.op = Op::kBlocks;
  step.offsets = node.offsets;
  step.lengths = node.lengths;
  step.runs = &kernel::runs_for(kernel::chosen(), node.offsets.width(), node.lengths.width());
  step.far = is_far(node);
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

// Step::ascending of copies that span `each` bytes, or of runs of listed lengths.
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
    case Op::kIndexed:
      return ascends(step.offsets, step.steps[0]->high - step.steps[0]->low, {});
    default:
      return false;
  }
}

// The most elements that touch, on both sides, no more than the caches hold.
std::int64_t far_count_of(const Node& node) {
  std::int64_t both;
  return __builtin_add_overflow(touched_bytes(node), node.bytes, &both) ? 0 : kernel::far_bytes() / both;
}

// A chain of constructors without long lists: to normalise it once more takes microseconds.
bool is_quick(const layout::Layout& type) {
  constexpr std::size_t kShort = 64;
  const layout::Layout* level = &type;
  while (level->combiner != layout::Combiner::kNamed) {
    if (level->displacements.size() > kShort || level->blocklengths.size() > kShort) return false;
    if (level->expansion == nullptr && level->children.size() != 1) return false;
    level = level->expansion != nullptr ? level->expansion.get() : level->children[0].get();
  }
  return true;
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
    if (nest.inner_count <= kMaxRowPattern) set_pattern(nest, pattern_of_row(nest), row_cost(nest));
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
    step.far = is_far(node);
  } else {
    step.op = Op::kIndexed;
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

// The costs are nearly linear in the number of elements: a few counts show where one of them stays below the other.
std::int64_t Compiler::min_folded_count(const Step& one, std::int64_t extent, const FoldedSteps& folded) {
  // Without items before and after, the copies are the elements, or repetitions inside them.
  constexpr std::int64_t kHuge = std::int64_t{1} << 40;
  if ((!folded.before && !folded.after) || folded.each > kHuge) return folded.min_count;
  const auto both = [&](auto cost) { return cost(true) + cost(false); };
  std::int64_t fewest = 0;
  for (const std::int64_t count : {256, 64, 32, 16, 8, 6, 4, 3, 2, 1}) {
    if (count < folded.min_count) break;
    const double together = both([&](bool packs) { return costs_.folded(folded, count, packs); });
    const double one_by_one = both([&](bool packs) { return costs_.loop(one, count, extent, packs); });
    if (together > one_by_one) break;
    fewest = count;
  }
  return fewest;
}

std::shared_ptr<Plan> Plan::made(const normal::MessageForm& message, std::int64_t extent) {
  std::shared_ptr<Plan> plan(new Plan);
  const normal::Form& form = message.one;
  plan->compiled_.message.one = form;
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
  plan->far_count_ = far_count_of(*form.node);
  plan->contiguous_ = form.node->kind == Kind::kRun && form.node->bytes == extent;
  // One copy for each element and none besides is no better than element by element.
  if (message.each != 1 || message.extra != 0) plan->compiled_.message = message;
  Compiler compiler;
  plan->root_ = compiler.repeated(*form.node);
  if (!message.body || message.body->kind != Kind::kLoop) return plan;
  auto folded = std::make_shared<FoldedSteps>();
  if (message.before.node) folded->before = compiler.step_of(*message.before.node);
  if (message.after.node) folded->after = compiler.step_of(*message.after.node);
  folded->before_offset = message.before.offset;
  folded->after_offset = message.after.offset;
  folded->body = compiler.step_of(*message.body);
  folded->body_offset = message.body_offset;
  folded->copy_bytes = message.body->body->bytes;
  folded->each = message.each;
  folded->extra = message.extra;
  folded->min_count = message.min_count();
  folded->min_count = compiler.min_folded_count(*plan->root_, extent, *folded);
  if (folded->min_count == 0) return plan;
  plan->compiled_.steps = std::move(folded);
  return plan;
}

PlanPtr compile(const normal::MessageForm& message, std::int64_t extent) {
  return Plan::made(message, extent);
}

PlanPtr compile(const layout::Layout& type) {
  return compile(normal::normalise_message(type), type.extent);
}

PlanPtr compile_one_first(layout::LayoutPtr type) {
  if (!is_quick(*type)) return compile(*type);
  normal::MessageForm one;
  one.one = normal::normalise(*type);
  std::shared_ptr<Plan> plan = Plan::made(one, type->extent);
  if (!plan->is_contiguous()) plan->type_ = std::move(type);
  return plan;
}

void Plan::fold() const noexcept {
  std::call_once(folding_, [this] {
    try {
      folded_ = compile(*type_)->compiled_;
      ready_.store(&folded_, std::memory_order_release);
    } catch (...) {  // no memory
    }
  });
}

}  // namespace gapless::plan

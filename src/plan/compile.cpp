#include <memory>
#include <unordered_map>

#include "normal/normalise.hpp"
#include "plan/plan.hpp"
#include "plan/step.hpp"

namespace gapless::plan {
namespace {

using normal::Kind;
using normal::Node;
using StepPtr = std::shared_ptr<const Step>;

Step nest_of_run(std::int64_t bytes) {
  Step step;
  step.block = step.inner_stride = bytes;
  const kernel::StridedKernel& kernel = kernel::strided_for(bytes);
  step.copy = kernel.copy;
  step.kernel_name = kernel.name;
  return step;
}

// One compilation. Nodes are shared within a form, and so are their steps.
class Compiler {
 public:
  StepPtr step_of(const Node& node) {
    if (const auto known = known_.find(&node); known != known_.end()) return known->second;
    auto step = std::make_shared<Step>(build(node));
    step->bytes = node.bytes;
    step->low = node.low;
    step->high = node.high;
    step->disjoint = node.disjoint;
    known_.emplace(&node, step);
    return step;
  }

 private:
  Step build(const Node& node) {
    switch (node.kind) {
      case Kind::kRun:
        return nest_of_run(node.bytes);
      case Kind::kLoop:
        return of_loop(node);
      case Kind::kTable:
        return of_table(node);
      case Kind::kBlocks:
        return of_blocks(node);
      case Kind::kSequence:
        return of_sequence(node.parts);
    }
    return {};
  }

  // A loop becomes the outer level of its body's nest where a level is free.
  Step of_loop(const Node& node) {
    const StepPtr body = step_of(*node.body);
    if (body->op == Op::kNest && body->inner_count == 1) {
      Step nest = *body;
      nest.inner_count = node.count;
      nest.inner_stride = node.stride;
      return nest;
    }
    if (body->op == Op::kNest && body->outer_count == 1) {
      Step nest = *body;
      nest.outer_count = node.count;
      nest.outer_stride = node.stride;
      return nest;
    }
    Step step;
    step.op = Op::kLoop;
    step.count = node.count;
    step.stride = node.stride;
    step.steps.push_back(body);
    return step;
  }

  Step of_table(const Node& node) {
    Step step;
    step.offsets = node.offsets;
    if (node.body->kind == Kind::kRun) {
      step.op = Op::kTable;
      step.block = node.body->bytes;
      const kernel::ScatteredKernel& kernel = kernel::scattered_for(step.block);
      const bool narrow = node.offsets.width() == 4;
      step.gather = narrow ? kernel.gather4 : kernel.gather8;
      step.scatter = narrow ? kernel.scatter4 : kernel.scatter8;
      step.kernel_name = kernel.name;
      // Repeated, a short table is run row by row with a strided kernel.
      const kernel::StridedKernel& row = kernel::strided_for(step.block);
      step.copy = row.copy;
      step.tileable = step.offsets.size() <= kMostTileRows;
    } else {
      step.op = Op::kPlaces;
      step.steps.push_back(step_of(*node.body));
    }
    return step;
  }

  Step of_blocks(const Node& node) {
    Step step;
    step.op = Op::kBlocks;
    step.offsets = node.offsets;
    step.lengths = node.lengths;
    const kernel::RunsKernel& kernel = kernel::runs_for(node.offsets.width(), node.lengths.width());
    step.gather_runs = kernel.gather;
    step.scatter_runs = kernel.scatter;
    step.kernel_name = kernel.name;
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

  Step of_sequence(const std::vector<normal::Part>& parts) {
    Step step;
    step.op = Op::kSequence;
    step.tileable = parts.size() <= kMostTileRows;
    std::vector<std::int64_t> offsets;
    offsets.reserve(parts.size());
    step.starts.reserve(parts.size());
    step.steps.reserve(parts.size());
    std::int64_t start = 0;
    for (const normal::Part& part : parts) {
      offsets.push_back(part.offset);
      step.starts.push_back(start);
      step.steps.push_back(step_of(*part.node));
      start += part.node->bytes;
      const Step& last = *step.steps.back();
      step.tileable = step.tileable && last.op == Op::kNest && last.outer_count == 1;
    }
    step.offsets = base::Numbers(offsets);
    return step;
  }

  std::unordered_map<const Node*, StepPtr> known_;
};

}  // namespace

PlanPtr compile(const normal::Message& message, std::int64_t extent) {
  std::shared_ptr<Plan> plan(new Plan);
  const normal::Form& form = message.one;
  plan->form_ = form;
  plan->extent_ = extent;
  if (!form.node) {
    plan->root_ = std::make_shared<const Step>();
    return plan;
  }
  plan->offset_ = form.offset;
  plan->size_ = form.node->bytes;
  plan->runs_ = form.node->runs;
  plan->contiguous_ = form.node->kind == Kind::kRun && form.node->bytes == extent;
  Compiler compiler;
  plan->root_ = compiler.step_of(*form.node);
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
  growth->fewest = message.fewest();
  plan->growth_ = std::move(growth);
  return plan;
}

PlanPtr compile(const layout::Layout& type) {
  return compile(normal::normalise_message(type), type.extent);
}

}  // namespace gapless::plan

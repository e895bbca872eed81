#include <utility>

#include "normal/normalise.hpp"
#include "plan/plan.hpp"
#include "plan/step.hpp"

namespace gapless::plan {
namespace {

using normal::Kind;
using normal::Node;

Step step_of(const Node& node);

Step nest_of_run(std::int64_t bytes) {
  Step step;
  step.block = step.inner_stride = bytes;
  const kernel::StridedKernel& kernel = kernel::strided_for(bytes);
  step.copy = kernel.copy;
  step.kernel_name = kernel.name;
  return step;
}

// A loop becomes the outer level of its body's nest where a level is free.
Step step_of_loop(const Node& node) {
  Step body = step_of(*node.body);
  if (body.op == Op::kNest && body.inner_count == 1) {
    body.inner_count = node.count;
    body.inner_stride = node.stride;
    return body;
  }
  if (body.op == Op::kNest && body.outer_count == 1) {
    body.outer_count = node.count;
    body.outer_stride = node.stride;
    return body;
  }
  Step step;
  step.op = Op::kLoop;
  step.count = node.count;
  step.stride = node.stride;
  step.steps.push_back(std::move(body));
  return step;
}

Step step_of_table(const Node& node) {
  Step step;
  step.offsets = node.offsets;
  if (node.body->kind == Kind::kRun) {
    step.op = Op::kTable;
    step.block = node.body->bytes;
    const kernel::ScatteredKernel& kernel = kernel::scattered_for(step.block);
    step.gather = kernel.gather;
    step.scatter = kernel.scatter;
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

Step step_of_sequence(const Node& node) {
  Step step;
  step.op = Op::kSequence;
  step.tileable = node.parts.size() <= kMostTileRows;
  std::int64_t start = 0;
  for (const normal::Part& part : node.parts) {
    step.offsets.push_back(part.offset);
    step.starts.push_back(start);
    step.steps.push_back(step_of(*part.node));
    start += part.node->bytes;
    const Step& last = step.steps.back();
    step.tileable = step.tileable && last.op == Op::kNest && last.outer_count == 1;
  }
  return step;
}

Step step_of(const Node& node) {
  Step step;
  switch (node.kind) {
    case Kind::kRun:
      step = nest_of_run(node.bytes);
      break;
    case Kind::kLoop:
      step = step_of_loop(node);
      break;
    case Kind::kTable:
      step = step_of_table(node);
      break;
    case Kind::kSequence:
      step = step_of_sequence(node);
      break;
  }
  step.bytes = node.bytes;
  step.low = node.low;
  step.high = node.high;
  step.disjoint = node.disjoint;
  return step;
}

}  // namespace

PlanPtr compile(const normal::Form& form, std::int64_t extent) {
  std::shared_ptr<Plan> plan(new Plan);
  plan->form_ = form;
  plan->extent_ = extent;
  plan->root_ = std::make_unique<Step>();
  if (form.node) {
    plan->offset_ = form.offset;
    plan->size_ = form.node->bytes;
    plan->runs_ = form.node->runs;
    plan->contiguous_ = form.node->kind == Kind::kRun && form.node->bytes == extent;
    *plan->root_ = step_of(*form.node);
  }
  return plan;
}

PlanPtr compile(const layout::Layout& type) {
  return compile(normal::normalise(type), type.extent);
}

}  // namespace gapless::plan

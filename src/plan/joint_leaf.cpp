#include "plan/joint_leaf.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "kernel/caches.hpp"

namespace gapless::plan {
namespace {

// Fewer runs are not worth a loop of their own inside another.
constexpr std::int64_t kFewRuns = 8;

bool is_small_block(const Joint& step) {
  return step.op == Joint::Op::kBlock && std::abs(step.source) <= kMaxPatternReach &&
         std::abs(step.destination) <= kMaxPatternReach && step.bytes <= kMaxPatternReach;
}

bool are_blocks(const std::vector<Joint>& steps) {
  return steps.size() <= kMaxPatternRuns && std::all_of(steps.begin(), steps.end(), is_small_block);
}

std::int64_t bytes_of(const std::vector<Joint>& steps) {
  std::int64_t bytes = 0;
  for (const Joint& step : steps) bytes += step.bytes;
  return bytes;
}

Joint placed(const BothLoops& loops) {
  Joint step;
  step.source = loops.source;
  step.destination = loops.destination;
  step.count = loops.count;
  step.source_stride = loops.source_stride;
  step.destination_stride = loops.destination_stride;
  return step;
}

Joint moves(const BothLoops& loops, const std::vector<Joint>& blocks) {
  std::vector<kernel::LongMove> runs;
  for (const Joint& block : blocks) runs.push_back({block.source, block.destination, block.bytes});
  Joint step = placed(loops);
  step.op = Joint::Op::kMoves;
  const std::int64_t each = bytes_of(blocks);
  step.pattern = std::make_shared<const RunPattern>(std::move(runs), each, true);
  step.bytes = loops.count * each;
  return step;
}

// A row of equal blocks on both sides.
struct Row {
  std::int64_t block = 0, count = 0;
  std::int64_t source = 0, destination = 0, source_stride = 0, destination_stride = 0;
};

// A step as a row; a row of count 0 if it is none.
Row row_of(const Joint& step) {
  if (is_row(step) && step.pattern->kernel().runs.size() == 1) {
    const kernel::LongMove& run = step.pattern->kernel().runs[0];
    return {run.bytes,
            step.count,
            step.source + run.user,
            step.destination + run.packed,
            step.source_stride,
            step.destination_stride};
  }
  const bool packs = step.op == Joint::Op::kPack;
  if ((packs || step.op == Joint::Op::kUnpack) && step.side->op == Op::kNest && step.side->outer_count == 1) {
    const std::int64_t block = step.side->block, stride = step.side->inner_stride;
    return {
        block, step.side->inner_count, step.source, step.destination, packs ? stride : block, packs ? block : stride};
  }
  return {};
}

// Makes a square of rows that are adjacent on one side and far apart on the other: both loops repeat one block, one of
// them block by block in the source, the other in the destination. False if the loops are not such rows.
bool set_square(Joint& step, const BothLoops& outer, const Joint& inner) {
  const Row row = row_of(inner);
  const kernel::SquareKernel* const kernel = row.count > 1 ? kernel::square_for(kernel::chosen(), row.block) : nullptr;
  if (kernel == nullptr) return false;
  const bool outer_reads_on = outer.source_stride == row.block && row.destination_stride == row.block;
  const bool inner_reads_on = row.source_stride == row.block && outer.destination_stride == row.block;
  if (!outer_reads_on && !inner_reads_on) return false;
  step = placed(outer);
  step.op = Joint::Op::kSquare;
  step.source += row.source;
  step.destination += row.destination;
  step.square = kernel;
  step.bytes = outer.count * row.count * row.block;
  // Rows of the destination are those along which the source is read contiguously.
  step.rows = outer_reads_on ? outer.count : row.count;
  step.columns = outer_reads_on ? row.count : outer.count;
  step.destination_stride = outer_reads_on ? outer.destination_stride : row.destination_stride;
  step.source_stride = outer_reads_on ? row.source_stride : outer.source_stride;
  step.count = 1;
  return true;
}

void set_steps(Joint& of, std::vector<Joint> steps) {
  for (const Joint& step : steps) {
    of.starts.push_back(of.bytes);
    of.bytes += step.bytes;
  }
  of.steps = std::move(steps);
}

// Blocks that follow each other become moves, which can be made for many repetitions at a time.
std::vector<Joint> gathered(std::vector<Joint> body) {
  std::vector<Joint> steps, blocks;
  const auto flush = [&] {
    if (!blocks.empty()) steps.push_back(moves({0, 0, 1, 0, 0}, blocks));
    blocks.clear();
  };
  for (Joint& step : body) {
    const bool joins = is_small_block(step);
    if (!joins || blocks.size() == kMaxPatternRuns) flush();
    (joins ? blocks : steps).push_back(std::move(step));
  }
  flush();
  return steps;
}

}  // namespace

void add_block(std::vector<Joint>& steps, std::int64_t source, std::int64_t destination, std::int64_t bytes) {
  if (!steps.empty() && steps.back().op == Joint::Op::kBlock && steps.back().source + steps.back().bytes == source &&
      steps.back().destination + steps.back().bytes == destination) {
    steps.back().bytes += bytes;
    return;
  }
  Joint block;
  block.source = source;
  block.destination = destination;
  block.bytes = bytes;
  steps.push_back(std::move(block));
}

void add_loop(std::vector<Joint>& steps, const BothLoops& loops, std::vector<Joint> body) {
  if (loops.count == 1) {
    for (Joint& step : body) {
      step.source += loops.source;
      step.destination += loops.destination;
      if (step.op == Joint::Op::kBlock)
        add_block(steps, step.source, step.destination, step.bytes);
      else
        steps.push_back(std::move(step));
    }
    return;
  }
  if (are_blocks(body)) {
    if (loops.count * static_cast<std::int64_t>(body.size()) > kFewRuns) {
      steps.push_back(moves(loops, body));
      return;
    }
    for (std::int64_t i = 0; i < loops.count; ++i)
      for (const Joint& block : body)
        add_block(steps, loops.source + i * loops.source_stride + block.source,
                  loops.destination + i * loops.destination_stride + block.destination, block.bytes);
    return;
  }
  Joint step;
  if (body.size() == 1 && set_square(step, loops, body[0])) {
    steps.push_back(std::move(step));
    return;
  }
  if (body.size() == 1 && is_row(body[0])) {
    step = std::move(body[0]);
    step.source += loops.source;
    step.destination += loops.destination;
    step.rows = loops.count;
    step.source_row = loops.source_stride;
    step.destination_row = loops.destination_stride;
    step.bytes *= loops.count;
    steps.push_back(std::move(step));
    return;
  }
  step = placed(loops);
  step.op = Joint::Op::kLoop;
  set_steps(step, gathered(std::move(body)));
  step.bytes *= loops.count;
  steps.push_back(std::move(step));
}

Joint side_leaf(bool packs, std::shared_ptr<const Step> side, std::int64_t source, std::int64_t destination,
                std::int64_t bytes) {
  Joint step;
  step.op = packs ? Joint::Op::kPack : Joint::Op::kUnpack;
  step.side = std::move(side);
  step.source = source;
  step.destination = destination;
  step.bytes = bytes;
  return step;
}

Joint strips_leaf(const BothLoops& loops, std::shared_ptr<const Step> source, std::shared_ptr<const Step> destination) {
  Joint step = placed(loops);
  step.op = Joint::Op::kStrips;
  step.bytes = loops.count * source->bytes;
  step.side = std::move(source);
  step.into = std::move(destination);
  return step;
}

Joint listed_leaf(const SideOffsets& from, const SideOffsets& to, std::int64_t block, std::int64_t count) {
  Joint step;
  step.op = Joint::Op::kListed;
  step.block = block;
  step.count = count;
  step.bytes = count * block;
  step.from_list = from.list;
  step.to_list = to.list;
  step.source = from.at;
  step.destination = to.at;
  const auto places = [](const SideOffsets& side) -> kernel::BlockOffsets {
    if (!side.is_list) return {nullptr, side.stride};
    return {static_cast<const std::int32_t*>(side.list.data()) + side.first, side.list.scale()};
  };
  if (from.is_list) step.source += from.list.shift();
  if (to.is_list) step.destination += to.list.shift();
  step.from = places(from);
  step.to = places(to);
  // Each block touches one line or more.
  step.far = count * (block + kernel::kLine) > kernel::far_bytes();
  step.paired = &kernel::paired_for(kernel::chosen(), block);
  return step;
}

Joint sequence_of(std::vector<Joint> steps) {
  if (steps.size() == 1) return std::move(steps[0]);
  Joint sequence;
  sequence.op = Joint::Op::kSequence;
  set_steps(sequence, std::move(steps));
  return sequence;
}

}  // namespace gapless::plan

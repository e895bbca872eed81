#include "plan/run_pattern.hpp"

#include <array>
#include <cstdlib>

#include "plan/step.hpp"

namespace gapless::plan {
namespace {

// More runs than this repay a kernel call of their own.
constexpr std::size_t kMostRuns = 32;
// A pattern's offsets are 32 bits, and a repetition that is longer than this is worth a call for each of its steps.
constexpr std::int64_t kWidestPattern = std::int64_t{1} << 20;

// Adds the runs of a step; false if there are too many.
class Collector {
 public:
  bool add(const Step& step, std::int64_t user, std::int64_t packed) {
    switch (step.op) {
      case Op::kNest:
        return add_nest(step, user, packed, step.outer_count);
      case Op::kTable:
        return add_each(step.offsets.size(), [&](std::size_t i) {
          return add_run(user + step.offsets[i], packed + static_cast<std::int64_t>(i) * step.block, step.block);
        });
      case Op::kBlocks:
        return add_each(step.offsets.size(), [&](std::size_t i) {
          const std::int64_t at = packed;
          packed += step.lengths[i];
          return add_run(user + step.offsets[i], at, step.lengths[i]);
        });
      case Op::kLoop:
        return add_each(static_cast<std::size_t>(step.count), [&](std::size_t i) {
          const auto n = static_cast<std::int64_t>(i);
          return add(*step.steps[0], user + n * step.stride, packed + n * step.steps[0]->bytes);
        });
      case Op::kPlaces:
        return add_each(step.offsets.size(), [&](std::size_t i) {
          return add(*step.steps[0], user + step.offsets[i],
                     packed + static_cast<std::int64_t>(i) * step.steps[0]->bytes);
        });
      case Op::kSequence:
        return add_each(step.steps.size(), [&](std::size_t i) {
          return add(*step.steps[i], user + step.offsets[i], packed + step.starts[i]);
        });
    }
    return false;
  }

  bool add_nest(const Step& nest, std::int64_t user, std::int64_t packed, std::int64_t rows) {
    return add_each(static_cast<std::size_t>(rows * nest.inner_count), [&](std::size_t i) {
      const auto n = static_cast<std::int64_t>(i);
      return add_run(user + n / nest.inner_count * nest.outer_stride + n % nest.inner_count * nest.inner_stride,
                     packed + n * nest.block, nest.block);
    });
  }

  const std::vector<kernel::LongMove>& runs() const { return runs_; }

 private:
  template <class Each>
  bool add_each(std::size_t count, Each each) {
    if (count > kMostRuns) return false;
    for (std::size_t i = 0; i < count; ++i)
      if (!each(i)) return false;
    return true;
  }

  bool add_run(std::int64_t user, std::int64_t packed, std::int64_t bytes) {
    if (runs_.size() == kMostRuns || std::abs(user) > kWidestPattern || packed + bytes > kWidestPattern) return false;
    runs_.push_back({user, packed, bytes});
    return true;
  }

  std::vector<kernel::LongMove> runs_;
};

}  // namespace

RunPattern::RunPattern(const std::vector<kernel::LongMove>& runs, std::int64_t bytes)
    : run_count_(static_cast<std::int64_t>(runs.size())) {
  std::array<std::vector<kernel::Move>, kernel::kMoveWidths> by_width;
  const auto move = [&](int width, const kernel::LongMove& run, std::int64_t at) {
    by_width[static_cast<std::size_t>(width)].push_back(
        {static_cast<std::int32_t>(run.user + at), static_cast<std::int32_t>(run.packed + at)});
  };
  for (const kernel::LongMove& run : runs) {
    if (run.bytes >= kernel::kLongMove) {
      longs_.push_back(run);
      continue;
    }
    // Moves of the widest width that fits, the last of which reaches back to end where the run does, unless a narrower
    // one is just what is left.
    int width = 0;
    std::int64_t wide = kernel::kWidestMove;
    for (; wide > run.bytes; wide /= 2) ++width;
    std::int64_t at = 0;
    for (; at + wide <= run.bytes; at += wide) move(width, run, at);
    const std::int64_t left = run.bytes - at;
    if (left == 0) continue;
    if ((left & (left - 1)) != 0) {
      move(width, run, run.bytes - wide);
      continue;
    }
    for (; wide > left; wide /= 2) ++width;
    move(width, run, at);
  }
  pattern_.bytes = bytes;
  for (std::size_t width = 0; width < by_width.size(); ++width) {
    pattern_.counts[width] = static_cast<std::int32_t>(by_width[width].size());
    moves_.insert(moves_.end(), by_width[width].begin(), by_width[width].end());
  }
  pattern_.moves = moves_.data();
  pattern_.longs = longs_.data();
  pattern_.long_count = static_cast<std::int32_t>(longs_.size());
}

std::shared_ptr<const RunPattern> pattern_of(const Step& step) {
  Collector collector;
  if (!collector.add(step, 0, 0) || collector.runs().size() < 2) return nullptr;
  return std::make_shared<RunPattern>(collector.runs(), step.bytes);
}

std::shared_ptr<const RunPattern> pattern_of_row(const Step& nest) {
  Collector collector;
  if (!collector.add_nest(nest, 0, 0, 1)) return nullptr;
  return std::make_shared<RunPattern>(collector.runs(), nest.inner_count * nest.block);
}

}  // namespace gapless::plan

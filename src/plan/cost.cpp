#include "plan/cost.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace gapless::plan {
namespace {

// In moves, all fitted to `gapless bench copy` on Zen 4. A kernel's call; one amid others like it, whose loops the
// processor has not learnt.
constexpr double kCall = 20, kRowsCall = 80;
// A row of few repetitions, and of many, at whose end the processor guesses wrong.
constexpr double kShortRow = 5, kLongRow = 20;
constexpr std::int64_t kManyRepetitions = 16;
// A move that is looked up; one of those that are narrow [bytes] as well, of which four repetitions are so far apart
// that the processor does not read ahead.
constexpr double kLookedUpMove = 1.4, kFarMove = 4, kNarrow = 4;
// What a shuffle packs in the time of a move [bytes], and what each line takes that it reads.
constexpr double kShuffled = 16, kShuffledLine = 1.5;

double moves_of(std::int64_t bytes) {
  return static_cast<double>((bytes + kernel::kWidestMove - 1) / kernel::kWidestMove);
}

// A run shorter than a vector that is no power of two is two moves, a longer one a loop.
double run_cost(std::int64_t bytes) {
  if (bytes > kernel::kWidestMove) return 1 + moves_of(bytes);
  return (bytes & (bytes - 1)) == 0 ? 1 : 2;
}

// Of `bytes` of data in so many of each `stride`: a vector is made of all lines that hold its words.
double shuffle_cost(std::int64_t bytes, std::int64_t block, std::int64_t stride) {
  const double lines =
      static_cast<double>(bytes) * static_cast<double>(stride) / static_cast<double>(block * kernel::kLine);
  return kCall + std::max(static_cast<double>(bytes) / kShuffled, kShuffledLine * lines);
}

// Whether so many repetitions of a pattern, whose runs span `span` bytes, are shuffled when they are packed.
bool is_shuffled(const RunPattern& pattern, std::int64_t span, std::int64_t count, std::int64_t stride) {
  return count >= kernel::kLeastShuffled && pattern.kernel().word_count > 0 && kernel::is_close(span, stride);
}

double pattern_cost(const RunPattern& pattern) {
  double each = 0;
  for (const kernel::LongMove& run : pattern.kernel().runs) each += run_cost(run.bytes);
  return each;
}

double row_cost(std::int64_t count) {
  return count > kManyRepetitions ? kLongRow : kShortRow;
}

double nest_cost(const Step& nest, bool packs) {
  const bool has_words = nest.block == 4 || nest.block == 8 || nest.block == 12;
  if (packs && has_words && nest.inner_count >= kernel::kLeastShuffled &&
      kernel::is_close(nest.block, nest.inner_stride))
    return shuffle_cost(nest.bytes, nest.block, nest.inner_stride);
  const bool has_pattern = nest.pattern != nullptr && nest.outer_count > 1;
  const std::int64_t span = (nest.inner_count - 1) * std::abs(nest.inner_stride) + nest.block;
  if (packs && has_pattern && is_shuffled(*nest.pattern, span, nest.outer_count, nest.outer_stride))
    return shuffle_cost(nest.bytes, nest.inner_count * nest.block, nest.outer_stride);
  const auto rows = static_cast<double>(nest.outer_count), blocks = static_cast<double>(nest.inner_count);
  return kCall + rows * ((has_pattern ? 0 : row_cost(nest.inner_count)) + blocks * run_cost(nest.block));
}

// A loop whose body is not called again and again, because a kernel repeats its pattern (move/whole.hpp).
double loop_cost(const Step& loop, bool packs) {
  const Step& body = *loop.steps[0];
  if (packs && is_shuffled(*body.pattern, body.high - body.low, loop.count, loop.stride))
    return shuffle_cost(loop.bytes, body.bytes, loop.stride);
  return kCall + static_cast<double>(loop.count) * pattern_cost(*body.pattern);
}

double moves_cost(const Joint& step) {
  double each = 0;
  const kernel::Pattern& pattern = step.pattern->kernel();
  bool is_looked_up = false;
  for (const kernel::Pass& pass : pattern.pack) {
    const int moves = std::accumulate(pass.counts.begin(), pass.counts.end(), 0);
    each += moves;
    is_looked_up |= moves > kernel::kMostMoves || (moves > 1 && pass.counts[4] + pass.counts[5] > 0);
  }
  if (is_looked_up) each *= each * kNarrow >= static_cast<double>(pattern.bytes) ? kFarMove : kLookedUpMove;
  for (const kernel::LongMove& run : pattern.longs) each += run_cost(run.bytes);
  return static_cast<double>(step.rows) * (row_cost(step.count) + static_cast<double>(step.count) * each);
}

}  // namespace

double Costs::side(const Step& step, bool packs) {
  double sum = 0;
  switch (step.op) {
    case Op::kNest:
      return nest_cost(step, packs);
    case Op::kTable:
      return kCall + static_cast<double>(step.offsets.size()) * (1 + moves_of(step.block));
    case Op::kBlocks:
      return kCall + 3 * static_cast<double>(step.offsets.size()) + moves_of(step.bytes);
    case Op::kLoop:
      if (step.steps[0]->pattern != nullptr && step.steps[0]->outer_count == 1) return loop_cost(step, packs);
      return static_cast<double>(step.count) * of(*step.steps[0], packs);
    case Op::kPlaces:
      return static_cast<double>(step.offsets.size()) * of(*step.steps[0], packs);
    case Op::kSequence:
      for (const auto& part : step.steps) sum += of(*part, packs);
      return sum;
  }
  return sum;
}

double Costs::of(const Step& step, bool packs) {
  std::unordered_map<const Step*, double>& known = known_[packs];
  if (const auto found = known.find(&step); found != known.end()) return found->second;
  return known[&step] = side(step, packs);
}

double Costs::of(const Joint& step) {
  const auto count = static_cast<double>(step.count);
  double sum = 0;
  switch (step.op) {
    case Joint::Op::kBlock:
      return kShortRow + moves_of(step.bytes);
    case Joint::Op::kMoves:
      return kCall + moves_cost(step);
    case Joint::Op::kSquare:
      return kCall + static_cast<double>(step.bytes) / kernel::kWidestMove;
    case Joint::Op::kPack:
      return pack(*step.side);
    case Joint::Op::kUnpack:
      return unpack(*step.side);
    case Joint::Op::kListed:
      return kCall + count * (1 + moves_of(step.block));
    case Joint::Op::kStrips:
      return count * (pack(*step.side) + unpack(*step.into));
    case Joint::Op::kLoop: {
      // Rows are called once for each tile.
      const auto tiles = static_cast<double>(tiles_of(step));
      for (const Joint& inner : step.steps)
        sum += is_row(inner) ? count * moves_cost(inner) + tiles * kRowsCall : count * of(inner);
      return sum;
    }
    case Joint::Op::kSequence:
      for (const Joint& inner : step.steps) sum += of(inner);
      return sum;
  }
  return sum;
}

}  // namespace gapless::plan

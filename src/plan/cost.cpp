#include "plan/cost.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>

namespace gapless::plan {
namespace {

// After more repetitions than this, the processor mispredicts the end of the loop.
constexpr std::int64_t kManyRepetitions = 16;
// A narrow move, on average [bytes].
constexpr double kNarrow = 4;

// Without a sum: a run may be as long as the largest number.
double moves_of(std::int64_t bytes) {
  return static_cast<double>(bytes / kernel::kWidestMove + (bytes % kernel::kWidestMove != 0));
}

// A run shorter than a vector is one move if its length is a power of two, otherwise two; a longer run is a loop.
double run_cost(std::int64_t bytes) {
  if (bytes > kernel::kWidestMove) return 1 + moves_of(bytes);
  return (bytes & (bytes - 1)) == 0 ? 1 : 2;
}

// The cost of shuffling `bytes` of data in blocks of `block` bytes, `stride` apart: a vector reads all lines that hold
// its words.
double shuffle_cost(const Rates& at, double bytes, std::int64_t block, std::int64_t stride, bool packs = true) {
  const double lines = bytes * static_cast<double>(stride) / static_cast<double>(block * kernel::kLine);
  return at.call + std::max((packs ? at.shuffled : at.scattered) * bytes / 16, at.shuffled_line * lines);
}

// True if `count` repetitions of a pattern, whose runs span `span` bytes, are packed by shuffles.
bool is_shuffled(const RunPattern& pattern, std::int64_t span, std::int64_t count, std::int64_t stride) {
  return count >= kernel::kMinShuffled && pattern.kernel().word_count > 0 && stride >= span &&
         stride - span < kernel::kLine;
}

// True if the blocks of a row are unpacked by masked stores.
bool is_scattered(const Step& nest) {
  return kernel::chosen().scatters && (nest.block == 4 || nest.block == 8) && nest.inner_stride > nest.block &&
         nest.inner_stride <= kernel::kMostScattered * nest.block;
}

// One repetition of a pattern, without the calls of its passes.
double pattern_cost(const Rates& at, const kernel::Pattern& pattern) {
  double each = 0;
  for (const kernel::Pass& pass : pattern.pack)
    each += at.pattern_move * std::accumulate(pass.counts.begin(), pass.counts.end(), 0);
  for (const kernel::LongMove& run : pattern.longs) each += at.long_run + at.long_move * run_cost(run.bytes);
  return each;
}

// The calls for each tile.
double calls_of(const kernel::Pattern& pattern) {
  return static_cast<double>(pattern.pack.size() + (pattern.longs.empty() ? 0 : 1));
}

double pattern_cost(const Rates& at, const RunPattern& of, std::int64_t count, std::int64_t stride) {
  const kernel::Pattern& pattern = of.kernel();
  const double calls = calls_of(pattern);
  const double tiles = calls > 1 ? static_cast<double>(count / kernel::tile_of(stride, pattern.bytes) + 1) : 1;
  return tiles * calls * at.pass + static_cast<double>(count) * pattern_cost(at, pattern);
}

double row_cost(const Rates& at, std::int64_t count) {
  return count > kManyRepetitions ? at.long_row : at.short_row;
}

double row_moves(const Rates& at, const Step& nest, std::int64_t count) {
  return row_cost(at, count) + static_cast<double>(count) * at.move * run_cost(nest.block);
}

// The cost of `rows` rows of a nest of `count` blocks each.
double rows_cost(const Rates& at, const Step& nest, std::int64_t count, std::int64_t rows, std::int64_t stride,
                 bool by_pattern, bool packs) {
  const double row_bytes = static_cast<double>(nest.block) * static_cast<double>(count);
  const bool has_words = nest.block == 4 || nest.block == 8 || nest.block == 12;
  const bool shuffles = packs ? has_words && kernel::is_close(nest.block, nest.inner_stride) : is_scattered(nest);
  if (shuffles && count >= kernel::kMinShuffled)
    return static_cast<double>(rows) * shuffle_cost(at, row_bytes, nest.block, nest.inner_stride, packs);
  const std::int64_t span = by_pattern ? (count - 1) * std::abs(nest.inner_stride) + nest.block : 0;
  if (by_pattern && packs && is_shuffled(*nest.pattern, span, rows, stride))
    return shuffle_cost(at, static_cast<double>(rows) * row_bytes, count * nest.block, stride);
  if (by_pattern) return pattern_cost(at, *nest.pattern, rows, stride);
  return at.call + static_cast<double>(rows) * row_moves(at, nest, count);
}

double moves_cost(const Rates& at, const Joint& step) {
  double each = 0;
  const kernel::Pattern& pattern = step.pattern->kernel();
  bool is_looked_up = false;
  for (const kernel::Pass& pass : pattern.pack) {
    const int moves = std::accumulate(pass.counts.begin(), pass.counts.end(), 0);
    each += moves;
    is_looked_up |= moves > kernel::kMaxMoves || (moves > 1 && pass.counts[4] + pass.counts[5] > 0);
  }
  if (is_looked_up) each *= each * kNarrow >= static_cast<double>(pattern.bytes) ? at.far_move : at.looked_up_move;
  for (const kernel::LongMove& run : pattern.longs) each += run_cost(run.bytes);
  return static_cast<double>(step.rows) * (row_cost(at, step.count) + static_cast<double>(step.count) * each);
}

}  // namespace

double Costs::side(const Step& step, bool packs) {
  double sum = 0;
  switch (step.op) {
    case Op::kNest:
      return nest(step, step.outer_count, packs);
    case Op::kTable:
      return rates_.call + static_cast<double>(step.offsets.size()) * rates_.listed * (1 + moves_of(step.block));
    case Op::kBlocks:
      return rates_.call + rates_.listed_run * static_cast<double>(step.offsets.size()) +
             rates_.listed_move * moves_of(step.bytes);
    case Op::kLoop:
      return loop(*step.steps[0], step.count, step.stride, packs);
    case Op::kIndexed:
      return static_cast<double>(step.offsets.size()) * of(*step.steps[0], packs);
    case Op::kSequence:
      for (const auto& part : step.steps) sum += of(*part, packs);
      return sum;
  }
  return sum;
}

// Here and below: the same choice as in move/whole.hpp.
double Costs::nest(const Step& step, std::int64_t rows, bool packs) {
  if (rows == 1 && step.inner_count == 1) return rates_.one_run + rates_.copied * moves_of(step.block);
  const bool by_pattern = rows > 1 && repeats_pattern(step, rows, step.outer_stride);
  return rows_cost(rates_, step, step.inner_count, rows, step.outer_stride, by_pattern, packs);
}

double Costs::loop(const Step& body, std::int64_t count, std::int64_t stride, bool packs) {
  const auto copies = static_cast<double>(count);
  if (count == 1) return of(body, packs);
  if (body.outer_count == 1 && repeats_pattern(body, count, stride)) {
    if (packs && is_shuffled(*body.pattern, body.high - body.low, count, stride))
      return shuffle_cost(rates_, copies * static_cast<double>(body.bytes), body.bytes, stride);
    return pattern_cost(rates_, *body.pattern, count, stride);
  }
  if (body.op == Op::kNest && body.outer_count == 1)
    return rows_cost(rates_, body, body.inner_count, count, stride, false, packs);
  return copies * of(body, packs);
}

double Costs::folded(const FoldedSteps& folded, std::int64_t count, bool packs) {
  const Step& body = *folded.body;
  const std::int64_t copies = folded.each * count + folded.extra;
  double sum = 0;
  if (folded.before) sum += of(*folded.before, packs);
  if (folded.after) sum += of(*folded.after, packs);
  if (copies == 0) return sum;
  if (body.op != Op::kNest) return sum + loop(*body.steps[0], copies, body.stride, packs);
  if (body.outer_count == 1) return sum + rows_cost(rates_, body, copies, 1, 0, false, packs);
  return sum + nest(body, copies, packs);
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
      return rates_.short_row + moves_of(step.bytes);
    case Joint::Op::kMoves:
      return rates_.call + moves_cost(rates_, step);
    case Joint::Op::kSquare:
      return rates_.call + static_cast<double>(step.bytes) / kernel::kWidestMove;
    case Joint::Op::kPack:
      return pack(*step.side);
    case Joint::Op::kUnpack:
      return unpack(*step.side);
    case Joint::Op::kListed:
      return rates_.call + count * (1 + moves_of(step.block));
    case Joint::Op::kStrips:
      return count * (pack(*step.side) + unpack(*step.into));
    case Joint::Op::kLoop: {
      // Rows are called once for each tile.
      const auto tiles = static_cast<double>(tiles_of(step));
      for (const Joint& inner : step.steps)
        sum += is_row(inner) ? count * moves_cost(rates_, inner) + tiles * rates_.rows_call : count * of(inner);
      return sum;
    }
    case Joint::Op::kSequence:
      for (const Joint& inner : step.steps) sum += of(inner);
      return sum;
  }
  return sum;
}

double row_cost(const Step& nest) {
  return row_moves(kRepeated, nest, nest.inner_count);
}

void set_pattern(Step& step, std::shared_ptr<const RunPattern> pattern, double steps) {
  if (pattern == nullptr) return;
  const kernel::Pattern& kernel = pattern->kernel();
  step.pattern_max_stride = std::numeric_limits<std::int64_t>::max();
  // Several passes are called for each tile, and what they gain must repay that.
  if (const double calls = calls_of(kernel); calls > 1) {
    const double gain = steps - pattern_cost(kRepeated, kernel);
    const double fewest = gain > 0 ? std::ceil(kRepeated.pass * calls / gain) : kernel::kTileBytes;
    step.pattern_min_count = std::max<std::int64_t>(1, static_cast<std::int64_t>(fewest));
    if (step.pattern_min_count > 1)
      step.pattern_max_stride = kernel::kTileBytes / (step.pattern_min_count - 1) - kernel.bytes;
    // Shuffled repetitions are one pass.
    if (kernel.word_count > 0 && step.pattern_min_count > kernel::kMinShuffled) {
      step.pattern_min_count = kernel::kMinShuffled;
      step.pattern_max_stride = 4 * (kernel.words[kernel.word_count - 1] + 1) + kernel::kLine;
    }
  }
  if (step.pattern_max_stride > 0) step.pattern = std::move(pattern);
}

}  // namespace gapless::plan

#include "plan/run_pattern.hpp"

#include <algorithm>
#include <cstdlib>

#include "plan/step.hpp"

namespace gapless::plan {
namespace {

// Collects the runs of a step; false if there are too many.
class RunCollector {
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
      case Op::kIndexed:
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
    if (count > kMaxPatternRuns) return false;
    for (std::size_t i = 0; i < count; ++i)
      if (!each(i)) return false;
    return true;
  }

  bool add_run(std::int64_t user, std::int64_t packed, std::int64_t bytes) {
    if (runs_.size() == kMaxPatternRuns || std::abs(user) > kMaxPatternReach || packed + bytes > kMaxPatternReach)
      return false;
    runs_.push_back({user, packed, bytes});
    return true;
  }

  std::vector<kernel::LongMove> runs_;
};

}  // namespace

// A move without a direction. width: index of its width.
struct RunPattern::Cut {
  int width;
  std::int64_t user, packed;
};

RunPattern::RunPattern(std::vector<kernel::LongMove> runs, std::int64_t bytes, bool in_one_pass)
    : runs_(std::move(runs)) {
  std::vector<Cut> wide, narrow;
  for (const kernel::LongMove& run : runs_) {
    if (run.bytes >= kernel::kLongMove) {
      longs_.push_back(run);
      continue;
    }
    // Repeat the widest move that fits. The rest is one more move, of its own width if there is one, otherwise of the
    // next wider one, which then overlaps the move before.
    int width = 0;
    std::int64_t at = 0, length = kernel::kWidestMove;
    for (; length > run.bytes; length /= 2) ++width;
    const auto cut = [&](std::int64_t place) {
      (width < 4 ? wide : narrow).push_back({width, run.user + place, run.packed + place});
    };
    for (; at + length <= run.bytes; at += length) cut(at);
    const std::int64_t left = run.bytes - at;
    if (left == 0) continue;
    for (; length / 2 >= left; length /= 2) ++width;
    cut(run.bytes - length);
  }
  // Passes point into these vectors, so they must not reallocate.
  pack_moves_.reserve(wide.size() + narrow.size());
  unpack_moves_.reserve(wide.size() + narrow.size());
  if (in_one_pass) {
    wide.insert(wide.end(), narrow.begin(), narrow.end());
    narrow.clear();
  }
  const std::size_t most = in_one_pass ? wide.size() : kernel::kMaxMoves;
  for (std::size_t first = 0; first < wide.size(); first += most) {
    const std::size_t last = std::min(first + most, wide.size());
    std::vector<Cut> cuts(wide.begin() + static_cast<std::ptrdiff_t>(first),
                          wide.begin() + static_cast<std::ptrdiff_t>(last));
    add_pass(cuts);
  }
  for (const Cut& cut : narrow) {
    std::vector<Cut> one{cut};
    add_pass(one);
  }
  pattern_.bytes = bytes;
  if (!in_one_pass) set_words();
  pattern_.pack = pack_;
  pattern_.unpack = unpack_;
  pattern_.longs = longs_;
  pattern_.runs = runs_;
  pattern_.shortest = std::min_element(runs_.begin(), runs_.end(), [](const auto& a, const auto& b) {
                        return a.bytes < b.bytes;
                      })->bytes;
}

void RunPattern::add_pass(std::vector<Cut>& cuts) {
  std::stable_sort(cuts.begin(), cuts.end(), [](const Cut& a, const Cut& b) { return a.width < b.width; });
  kernel::MoveCounts counts{};
  const std::size_t first = pack_moves_.size();
  int widths = 0;
  for (const Cut& cut : cuts) {
    widths |= 1 << cut.width;
    ++counts[static_cast<std::size_t>(cut.width)];
    const auto user = static_cast<std::int32_t>(cut.user), packed = static_cast<std::int32_t>(cut.packed);
    pack_moves_.push_back({packed, user});
    unpack_moves_.push_back({user, packed});
  }
  const kernel::CopyMoves copy = kernel::chosen().pattern.pass_for(counts);
  pack_.push_back({copy, pack_moves_.data() + first, counts, widths});
  unpack_.push_back({copy, unpack_moves_.data() + first, counts, widths});
}

void RunPattern::set_words() {
  if (pattern_.bytes > 4 * kernel::kMaxWords) return;
  std::int32_t count = 0;
  std::int64_t behind = 0;
  for (const kernel::LongMove& run : runs_) {
    if (run.user % 4 != 0 || run.bytes % 4 != 0 || run.user < behind) return;
    for (std::int64_t at = 0; at < run.bytes; at += 4)
      pattern_.words[count++] = static_cast<std::int32_t>((run.user + at) / 4);
    behind = run.user + run.bytes;
  }
  if ((count & (count - 1)) != 0) return;
  pattern_.word_count = count;
  for (std::int32_t i = count; i < kernel::kMaxWords; ++i) pattern_.words[i] = pattern_.words[i - count];
}

std::shared_ptr<const RunPattern> pattern_of(const Step& step) {
  RunCollector collector;
  if (!collector.add(step, 0, 0) || collector.runs().size() < 2) return nullptr;
  return std::make_shared<RunPattern>(collector.runs(), step.bytes);
}

std::shared_ptr<const RunPattern> pattern_of_row(const Step& nest) {
  RunCollector collector;
  if (!collector.add_nest(nest, 0, 0, 1)) return nullptr;
  return std::make_shared<RunPattern>(collector.runs(), nest.inner_count * nest.block);
}

}  // namespace gapless::plan

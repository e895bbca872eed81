// The runs of a small step, cut into the moves of a pattern kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/kernel.hpp"

namespace gapless::plan {

struct Step;

// The limits of a pattern: more runs repay a kernel call of their own; a pattern's offsets are 32 bits, and a longer
// repetition is worth a call for each of its steps.
inline constexpr std::size_t kMaxPatternRuns = 32;
inline constexpr std::int64_t kMaxPatternReach = std::int64_t{1} << 20;  // [bytes]

// Owns what a kernel::Pattern points to.
class RunPattern {
 public:
  // `bytes`: of data in all runs. In one pass, or in several, each of which is compiled for its moves.
  RunPattern(std::vector<kernel::LongMove> runs, std::int64_t bytes, bool in_one_pass = false);
  const kernel::Pattern& kernel() const noexcept { return pattern_; }
  RunPattern(const RunPattern&) = delete;
  RunPattern& operator=(const RunPattern&) = delete;

 private:
  struct Cut;
  void add_pass(std::vector<Cut>& cuts);
  void set_words();

  std::vector<kernel::Move> pack_moves_, unpack_moves_;
  std::vector<kernel::Pass> pack_, unpack_;
  std::vector<kernel::LongMove> runs_, longs_;
  kernel::Pattern pattern_{};
};

// Null if the step has too many runs, or runs too far apart for 32 bits. Cost: constant.
std::shared_ptr<const RunPattern> pattern_of(const Step& step);
// One row of a nest.
std::shared_ptr<const RunPattern> pattern_of_row(const Step& nest);

}  // namespace gapless::plan

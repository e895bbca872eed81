// The steps of a plan: the normal form with its two innermost loops turned into a nest for a kernel.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "base/numbers.hpp"
#include "kernel/kernel.hpp"
#include "plan/run_pattern.hpp"

namespace gapless::plan {

enum class Op {
  kNest,      // a nest of at most two loops over blocks: one kernel call
  kTable,     // blocks of one length at listed offsets: one kernel call
  kBlocks,    // runs of unlike lengths at listed offsets: one kernel call
  kLoop,      // any body, repeated
  kIndexed,   // any body, at listed offsets
  kSequence,  // unlike steps, one after the other
};

struct Step {
  Op op = Op::kNest;
  std::int64_t bytes = 0;  // of data
  std::int64_t low = 0;    // [bytes] from the step's origin to the first byte touched
  std::int64_t high = 0;   // [bytes] and to the end of the last one
  bool disjoint = true;    // as in normal::Node

  // nest: inner_count blocks `inner_stride` apart, outer_count rows `outer_stride` apart
  std::int64_t block = 0, inner_count = 1, inner_stride = 0, outer_count = 1, outer_stride = 0;
  const kernel::NestKernel* nest = nullptr;
  const kernel::NestKernel* transpose = nullptr;  // if rows share the lines that each of them touches

  // table (block as above), blocks and indexed
  base::Numbers offsets;
  const kernel::ListedKernel* listed = nullptr;
  base::Numbers lengths;  // blocks [bytes]
  const kernel::RunsKernel* runs = nullptr;
  bool ascending = false;  // each copy begins at or after the end of the one before
  bool far = false;        // touches more lines than the last-level cache holds

  // loop: count, stride, *steps[0]; indexed: *steps[0]; sequence: *steps[i] at offsets[i], its data starting at
  // starts[i]. Shared, as the form's nodes are: a plan is as small as its form.
  std::int64_t count = 0, stride = 0;
  std::vector<std::shared_ptr<const Step>> steps;
  std::vector<std::int64_t> starts;  // blocks: of every kStartsEach-th run only

  // Set if the runs are few and short enough that many repetitions are one kernel call; in a nest, the runs of one row.
  std::shared_ptr<const RunPattern> pattern;
  // Fewer repetitions than this, or any with a larger stride [bytes], take less time step by step than by the pattern,
  // because each pass is called for few of them.
  std::int64_t pattern_min_count = 1, pattern_max_stride = 0;
};

// True if `count` repetitions of a step, or rows of a nest, are made by its pattern.
inline bool repeats_pattern(const Step& step, std::int64_t count, std::int64_t stride) noexcept {
  return step.pattern && count >= step.pattern_min_count && std::abs(stride) <= step.pattern_max_stride;
}

// The folded form of `count` elements (normal::MessageForm): before, copies of what the loop `body` repeats, after.
struct FoldedSteps {
  std::shared_ptr<const Step> before, body, after;  // before and after may be null
  std::int64_t before_offset = 0, body_offset = 0;  // [bytes] from the buffer's address
  std::int64_t after_offset = 0;                    // [bytes] and `count` extents more
  std::int64_t copy_bytes = 0;                      // of data in one copy
  std::int64_t each = 1, extra = 0, min_count = 1;
};

// A seek into a list of blocks is a binary search for a group of this many blocks, then a walk inside it.
inline constexpr std::size_t kStartsEach = 16;

}  // namespace gapless::plan

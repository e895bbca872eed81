// A message as few pieces of memory that cover it: runs that lie close to each other are one span, gaps included. Who
// pays for each piece that he asks for, and little for each byte, reads spans, and takes the runs out of a copy
// (docs/wire.md).
#pragma once

#include <cstdint>
#include <vector>

#include "plan/plan.hpp"

namespace gapless::copy {

struct Span {
  std::int64_t offset = 0;    // [bytes] from the buffer's address
  std::int64_t length = 0;    // [bytes] of memory
  std::int64_t position = 0;  // [bytes] of the packed stream before its data
  std::int64_t bytes = 0;     // of data; fewer than its length if it has gaps
  bool is_run() const noexcept { return bytes == length; }
};

struct SpanLimits {
  std::int64_t gap = 0;     // [bytes] between two runs of one span, at most; 0: a span is a run
  std::int64_t length = 0;  // [bytes] of a span of several runs, at most
  std::int64_t most = 0;    // spans
};

// In the order of the packed stream; none if there are too many. Cost: linear in the runs; may throw std::bad_alloc.
std::vector<Span> spans_of(const plan::Plan& plan, std::int64_t count, const SpanLimits& limits);

}  // namespace gapless::copy

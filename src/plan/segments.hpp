// The rest of one side of a copy: the nodes of its form, opened as far as necessary.
#pragma once

#include <cstdint>
#include <vector>

#include "normal/form.hpp"
#include "plan/plan.hpp"

namespace gapless::plan {

// The rest of a node: some bytes of a run, some copies of a loop or a list.
struct Segment {
  normal::Kind kind;
  std::int64_t at;         // [bytes] of its origin
  std::int64_t count = 1;  // bytes of a run; copies; entries of a list, starting with `first`
  std::int64_t stride = 0;
  std::int64_t first = 0;
  normal::NodePtr body;  // loop, table
  normal::NodePtr node;  // table, blocks, sequence

  std::int64_t unit() const { return kind == normal::Kind::kRun ? 1 : body->bytes; }
};

// A stack: the next segment is the last.
using Segments = std::vector<Segment>;

Segment segment_of(const normal::NodePtr& node, std::int64_t at);
// n copies of a loop, or n bytes of a run, at the origin.
Segment slice(const Segment& segment, std::int64_t n);

// True if the elements together have a form other than one of them, repeated (normal::MessageForm).
bool has_folded_form(const Message& message);
// All of a message that is not empty; `folded`: by its folded form, if it has one.
Segments segments_of(const Message& message, bool folded);

// Opens the next segment: splits off one copy or entry, or replaces a sequence by its parts.
void open(Segments& segments);
// Drops the first n bytes of a run, or n copies or entries.
void take(Segments& segments, std::int64_t n);
// Moves the first `bytes` of the segments to `front`, or drops them if that is null. Returns false if that would open
// too many nodes; `segments` is of no use then.
bool split_off(Segments& segments, std::int64_t bytes, Segments* front);

// `bytes` bytes at displacement `at`.
struct ByteRun {
  std::int64_t at, bytes;
  bool operator==(const ByteRun&) const = default;
};
// Appends the runs of the segments, adjacent ones joined; false if there are too many.
bool list_runs(Segments segments, std::vector<ByteRun>& runs);

}  // namespace gapless::plan

// Which cache lines a message touches, in the order of its packed bytes: what no loop can avoid to move.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "gapless/gapless.h"

namespace gapless::bench {

// `count` lines one after the other, the first one so many lines behind the message's origin.
struct LineRun {
  std::int32_t first;
  std::int32_t count;
};

// Every visit of a line counts, but runs that follow each other inside one line visit it once.
struct Touched {
  std::vector<LineRun> runs;
  std::int64_t lines = 0;
  std::int64_t partial_lines = 0;  // visited, and not covered whole: an unpack must keep what else is in them
  bool ascending = true;           // no line is visited twice
  std::int64_t shortest_run_bytes = std::numeric_limits<std::int64_t>::max();
  std::int64_t bytes() const { return lines * 64; }
};

// From the engine's list of runs. `user` is on a line boundary. Throws std::runtime_error if a line is too far away.
Touched touched_lines(const char* user, std::int64_t count, gapless_type type);

// `count` lines, `step` lines apart.
struct LineSteps {
  std::int32_t first, step, count;
};

// The lines that each part of a message touches, each line once.
struct PartLines {
  std::int64_t part_bytes = 0, bytes = 0;  // of each part but the last; of the message
  std::vector<LineSteps> steps;
  std::vector<std::size_t> ends;  // of each part's among `steps`
};

// Of parts of `part_bytes`; otherwise as touched_lines().
PartLines part_lines(const char* user, std::int64_t count, gapless_type type, std::int64_t part_bytes);

}  // namespace gapless::bench

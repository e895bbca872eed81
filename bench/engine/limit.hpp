// What the memory allows: loops that copy exactly the cache lines that a message touches, whole, in the same order and
// over the same footprint, to or from as many lines one after the other. Nothing that moves the message can touch less.
#pragma once

#include <cstdint>
#include <vector>

#include "touched.hpp"

namespace gapless::bench {

// The lines of a message, with what repeats said once, so that reading the list costs nothing where it is regular:
// `repeats` times the first `period` runs, each time `shift` lines further, then the others as they are.
struct Footprint {
  std::vector<LineRun> runs;
  std::int64_t period = 0, repeats = 1, shift = 0;
};

Footprint footprint_of(const Touched& touched);

// `lines`: the packed side, dense. `user`: the origin of the message; pack reads it, unpack writes whole lines there.
struct LimitLoop {
  const char* name;
  void (*pack)(const Footprint& footprint, const char* user, char* lines);
  void (*unpack)(const Footprint& footprint, const char* lines, char* user);
};

// What the memory allows parts that share nothing: of each line that a part touches, one word is read (pack) or written
// (unpack), and the packed side is written or read densely. A part of a transposition touches a line for every block.
struct PartLoop {
  const char* name;
  void (*pack)(const PartLines& parts, const char* user, char* packed);
  void (*unpack)(const PartLines& parts, const char* packed, char* user);
};

// With and without a prefetch.
std::vector<PartLoop> part_loops();

// Cached and non-temporal, with and without prefetch; those that this processor has.
std::vector<LimitLoop> limit_loops();

}  // namespace gapless::bench

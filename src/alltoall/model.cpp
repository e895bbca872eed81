#include "alltoall/model.hpp"

#include <algorithm>

#include "alltoall/algorithms.hpp"
#include "alltoall/known_counts.hpp"

namespace gapless::alltoall {

namespace {

// Noise and what the model leaves out must not make a program slower than the library's own.
constexpr double kGain = 0.75;
// What a call between two processes must be longer than [bytes].
constexpr std::int64_t kShort = 4096;
// What a call of ours costs before anything is sent; bound once where it is persistent.
constexpr double kBeginning_s = 0.3e-6;

// Over the bytes of a block [s]: so much without any, and so much for each.
struct Line {
  double begins, slope;
};

Line cost_of(const KnownCounts& known, const Machine& machine) {
  const Counts& counts = known.counts;
  const double staged = 2 * static_cast<double>(known.gathered);  // blocks gathered or scattered
  return {static_cast<double>(counts.rounds) * machine.latency_s +
              static_cast<double>(counts.messages - counts.rounds) * machine.latency_s / 2,
          static_cast<double>(counts.blocks_sent) / machine.bandwidth +
              (staged + static_cast<double>(counts.blocks_copied)) / machine.pack_rate};
}

// Narrows it to the blocks for which a cost is at most `share` of another.
void narrow(Range& range, const Line& ours, const Line& theirs, double share) {
  const double begins = ours.begins - share * theirs.begins, slope = ours.slope - share * theirs.slope;
  if (begins > 0 && slope >= 0) range = {};
  // A file may say anything: what does not fit lies beyond every block.
  constexpr auto kBeyond = static_cast<double>(kLargestBlock);
  const double at = slope == 0 ? kBeyond : -begins / slope;
  const double crossing = at < kBeyond ? at : kBeyond;  // also where it is no number
  if (begins <= 0 && slope > 0) range.last = std::min(range.last, static_cast<std::int64_t>(crossing));
  if (begins > 0 && slope < 0) range.first = std::max(range.first, static_cast<std::int64_t>(crossing) + 1);
}

}  // namespace

Range range_of_ours(int processes, bool is_in_place, bool is_persistent, const Machine& machine) {
  // Nothing is sent, and MPICH 5.0.2 never returns while the program has a receive from anybody.
  if (processes == 1) return {0, INT64_MAX};
  // One message each way, whoever sends it: measured (bench/alltoall, three libraries, 4 B to 80 kB). A persistent one
  // is never slower; a call with arguments that are new is, up to some thousand bytes, on two of the three.
  if (processes == 2) {
    const Range& measured = is_in_place ? machine.in_place : machine.calls;
    const bool reaches = measured.last >= kShort;
    return {is_persistent ? 0 : reaches ? std::min(measured.first, kShort) : kShort, INT64_MAX};
  }
  if (processes > kMostProcesses) return {};
  Line ours = cost_of(counts_of_least_slots(processes, is_in_place), machine);
  if (!is_persistent) ours.begins += kBeginning_s;
  Range range{0, kLargestBlock};
  narrow(range, ours, cost_of(counts_of_basic(processes, is_in_place), machine), kGain);
  narrow(range, ours, cost_of(counts_of_spread_out(processes, is_in_place), machine), kGain);
  return range;
}

Range range_of_calls(int processes, bool is_in_place, const Machine& machine) {
  if (processes == 2) return is_in_place ? machine.in_place : machine.calls;
  return range_of_ours(processes, is_in_place, false, machine);
}

Range range_of_persistent(int processes, bool is_in_place, const Machine& machine) {
  if (processes <= 2) return range_of_ours(processes, is_in_place, true, machine);
  if (processes > kMostPersistent) return {};
  Range range{0, kLargestBlock};
  narrow(range, cost_of(counts_of_spread_out(processes, is_in_place), machine),
         cost_of(counts_of_basic(processes, is_in_place), machine), 1);
  return range;
}

}  // namespace gapless::alltoall

#include "alltoall/known_counts.hpp"

#include "alltoall/algorithms.hpp"
#include "alltoall/bruck.hpp"
#include "alltoall/irregular_rounds.hpp"

namespace gapless::alltoall {

namespace {

// A message in each round.
KnownCounts counts_of_bruck(int processes) {
  KnownCounts known;
  known.counts.rounds = known.counts.messages = rounds_of(processes);
  for (int round = 0; round < rounds_of(processes); ++round) {
    const std::int64_t blocks = irregular::moved_count(processes, round);
    known.counts.blocks_sent += blocks;
    known.gathered += blocks > 1 ? blocks : 0;
  }
  return known;
}

}  // namespace

KnownCounts counts_of_basic(int processes, bool in_place) {
  KnownCounts known = counts_of_bruck(processes);
  if (processes == 1) return known;
  // The first rotation, all that is received, and the last permutation with a copy in between; in place once more.
  known.counts.blocks_copied = (in_place ? 4 : 3) * (std::int64_t{processes} - 1) + known.counts.blocks_sent;
  known.counts.slots = (in_place ? 2 : 1) * std::int64_t{processes};
  return known;
}

KnownCounts counts_of_spread_out(int processes, bool in_place) {
  const std::int64_t others = processes - 1, moved = in_place ? others : 0;
  return {{processes > 1 ? 1 : 0, others, others, moved, moved}, 0};
}

KnownCounts counts_of_least_slots(int processes, bool in_place) {
  KnownCounts known = counts_of_bruck(processes);
  known.counts.slots = in_place ? processes / 2 : least_number_of_slots(processes);
  known.counts.blocks_copied = in_place ? copies_of_least_slots_in_place(processes) : 0;
  return known;
}

}  // namespace gapless::alltoall

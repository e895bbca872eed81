// Zero-copy Bruck (Träff, Rougier, Hunold 2014): the blocks of the modified algorithm travel from where they are to
// where they are not: from the send buffer at first, then to and fro between a slot and the receive buffer, so that the
// last one of all these places is in the receive buffer.
#include <algorithm>

#include "alltoall/algorithms.hpp"
#include "alltoall/bruck.hpp"

namespace gapless::alltoall {

Schedule zero_copy_bruck(int processes) {
  Schedule schedule{.processes = processes, .slots = 0, .steps = {}};
  const int rounds = rounds_of(processes);
  for (int round = 0; round < rounds; ++round) {
    Message message{.distance = processes - (1 << round), .blocks = {}};
    for (const int j : travelling(processes, round)) {
      const Place home{Buffer::kReceive, j}, slot{Buffer::kSlot, j};
      const bool ends_at_home = rounds_ahead(j, round) % 2 == 0;
      const Place waited = ends_at_home ? slot : home;
      message.blocks.push_back({j, has_travelled(j, round) ? waited : Place{Buffer::kSend, opposite(j, processes)},
                                ends_at_home ? home : slot});
      if (!ends_at_home) schedule.slots = std::max(schedule.slots, j + 1);
    }
    schedule.steps.emplace_back().messages.push_back(std::move(message));
  }
  copy_own(schedule);
  return schedule;
}

}  // namespace gapless::alltoall

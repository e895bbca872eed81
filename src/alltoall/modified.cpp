// Modified Bruck: blocks travel towards lower ranks and stand, on each process, where they would be at home if they
// stayed; so nothing has to be put into order at the end.
#include "alltoall/algorithms.hpp"
#include "alltoall/bruck.hpp"

namespace gapless::alltoall {

Schedule modified_bruck(int processes) {
  Schedule schedule{.processes = processes, .slots = processes / 2, .steps = {}};
  const int rounds = rounds_of(processes);
  schedule.steps.resize(static_cast<std::size_t>(rounds) + 1);
  for (int j = 0; j < processes; ++j)
    schedule.steps[0].copies.push_back({j, {Buffer::kSend, opposite(j, processes)}, {Buffer::kReceive, j}});
  for (int round = 0; round < rounds; ++round) {
    Message message{.distance = processes - (1 << round), .blocks = {}};
    std::vector<Move>& received = schedule.steps[static_cast<std::size_t>(round) + 1].copies;
    int slot = 0;
    for (const int j : travelling(processes, round)) {
      message.blocks.push_back({j, {Buffer::kReceive, j}, {Buffer::kSlot, slot}});
      received.push_back({j, {Buffer::kSlot, slot}, {Buffer::kReceive, j}});
      ++slot;
    }
    schedule.steps[static_cast<std::size_t>(round)].messages.push_back(std::move(message));
  }
  return schedule;
}

}  // namespace gapless::alltoall

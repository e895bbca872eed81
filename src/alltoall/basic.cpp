// Basic Bruck: blocks are rotated to the front, travel from where they stand to where they stand, and are put into
// their order at the end. What is received comes into slots first, for the same memory is being sent.
#include "alltoall/algorithms.hpp"
#include "alltoall/bruck.hpp"

namespace gapless::alltoall {

Schedule basic_bruck(int processes) {
  Schedule schedule{.processes = processes, .slots = processes > 1 ? processes : 0, .steps = {}};
  const int rounds = rounds_of(processes);
  schedule.steps.resize(static_cast<std::size_t>(rounds) + 1);
  if (rounds == 0) {
    schedule.steps[0].copies.push_back({0, {Buffer::kSend, 0}, {Buffer::kReceive, 0}});
    return schedule;
  }
  for (int j = 0; j < processes; ++j)
    schedule.steps[0].copies.push_back({j, {Buffer::kSend, j}, {Buffer::kReceiveFixed, j}});
  for (int round = 0; round < rounds; ++round) {
    Message message{.distance = 1 << round, .blocks = {}};
    std::vector<Move>& received = schedule.steps[static_cast<std::size_t>(round) + 1].copies;
    int slot = 0;
    for (const int j : travelling(processes, round)) {
      message.blocks.push_back({j, {Buffer::kReceiveFixed, j}, {Buffer::kSlot, slot}});
      received.push_back({j, {Buffer::kSlot, slot}, {Buffer::kReceiveFixed, j}});
      ++slot;
    }
    schedule.steps[static_cast<std::size_t>(round)].messages.push_back(std::move(message));
  }
  // Block j has come from the process j ranks before this one.
  std::vector<Move>& last = schedule.steps.back().copies;
  for (int j = 0; j < processes; ++j) last.push_back({j, {Buffer::kReceiveFixed, j}, {Buffer::kSlot, j}});
  for (int j = 0; j < processes; ++j)
    last.push_back({j, {Buffer::kSlot, j}, {Buffer::kReceive, opposite(j, processes)}});
  return schedule;
}

}  // namespace gapless::alltoall

// Pairwise exchange: p - 1 rounds of one message of one block. In place two opposite neighbours at a time: what comes
// from either of them must wait until what goes to it has gone.
#include "alltoall/algorithms.hpp"
#include "alltoall/bruck.hpp"

namespace gapless::alltoall {

Schedule pairwise(int processes) {
  Schedule schedule{.processes = processes, .slots = 0, .steps = {}};
  for (int j = 1; j < processes; ++j)
    schedule.steps.emplace_back().messages.push_back(
        {.distance = j, .blocks = {{j, {Buffer::kSend, j}, {Buffer::kReceive, opposite(j, processes)}}}});
  copy_own(schedule);
  return schedule;
}

Schedule pairwise_in_place(int processes) {
  Schedule schedule{.processes = processes, .slots = processes > 2 ? 2 : processes - 1, .steps = {}};
  for (int j = 1; j <= processes / 2; ++j) {
    const int back = opposite(j, processes);
    Step exchange, store;
    exchange.messages.push_back({.distance = j, .blocks = {{j, {Buffer::kReceive, j}, {Buffer::kSlot, 0}}}});
    store.copies.push_back({j, {Buffer::kSlot, 0}, {Buffer::kReceive, back}});
    if (back != j) {
      exchange.messages.push_back({.distance = back, .blocks = {{back, {Buffer::kReceive, back}, {Buffer::kSlot, 1}}}});
      store.copies.push_back({back, {Buffer::kSlot, 1}, {Buffer::kReceive, j}});
    }
    if (schedule.steps.empty()) schedule.steps.emplace_back();
    schedule.steps.back().messages = std::move(exchange.messages);
    schedule.steps.push_back(std::move(store));
  }
  return schedule;
}

}  // namespace gapless::alltoall

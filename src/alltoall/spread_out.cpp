// Spread out: one round of p - 1 messages of one block, all at the same time.
#include "alltoall/algorithms.hpp"
#include "alltoall/bruck.hpp"

namespace gapless::alltoall {

Schedule spread_out(int processes) {
  Schedule schedule{.processes = processes, .slots = 0, .steps = {}};
  Step step;
  for (int j = 1; j < processes; ++j)
    step.messages.push_back(
        {.distance = j, .blocks = {{j, {Buffer::kSend, j}, {Buffer::kReceive, opposite(j, processes)}}}});
  if (processes > 1) schedule.steps.push_back(std::move(step));
  copy_own(schedule);
  return schedule;
}

Schedule spread_out_in_place(int processes) {
  Schedule schedule{.processes = processes, .slots = processes - 1, .steps = {}};
  Step exchange, store;
  for (int j = 1; j < processes; ++j) {
    exchange.messages.push_back({.distance = j, .blocks = {{j, {Buffer::kReceive, j}, {Buffer::kSlot, j - 1}}}});
    store.copies.push_back({j, {Buffer::kSlot, j - 1}, {Buffer::kReceive, opposite(j, processes)}});
  }
  if (processes > 1) schedule.steps = {std::move(exchange), std::move(store)};
  return schedule;
}

}  // namespace gapless::alltoall

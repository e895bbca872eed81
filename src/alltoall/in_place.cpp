// MPI_IN_PLACE for an algorithm that reads the send buffer until late: from a copy of what the receive buffer holds.
#include <algorithm>

#include "alltoall/algorithms.hpp"

namespace gapless::alltoall {

Schedule in_place_from_copy(Schedule schedule) {
  const int copy = schedule.slots;                                              // its first slot
  std::vector<int> elements(static_cast<std::size_t>(schedule.processes), -1);  // of the blocks that are read
  const auto read = [&](Move& move) {
    if (move.from.buffer != Buffer::kSend) return;
    elements[static_cast<std::size_t>(move.from.index)] = move.element;
    move.from = {Buffer::kSlot, copy + move.from.index};
  };
  for (Step& step : schedule.steps) {
    for (std::vector<Move>* copies : {&step.copies, &step.meanwhile}) {
      std::erase(*copies, Move{0, {Buffer::kSend, 0}, {Buffer::kReceive, 0}});  // the own block is where it belongs
      for (Move& move : *copies) read(move);
    }
    for (Message& message : step.messages)
      for (Move& move : message.blocks) read(move);
  }
  std::erase_if(schedule.steps, [](const Step& step) {
    return step.copies.empty() && step.messages.empty() && step.meanwhile.empty();
  });
  std::vector<Move> saved;
  for (int s = 0; s < schedule.processes; ++s)
    if (const int element = elements[static_cast<std::size_t>(s)]; element >= 0)
      saved.push_back({element, {Buffer::kReceive, s}, {Buffer::kSlot, copy + s}});
  if (saved.empty()) return schedule;
  schedule.slots += schedule.processes;
  std::vector<Move>& first = schedule.steps.front().copies;
  first.insert(first.begin(), saved.begin(), saved.end());
  return schedule;
}

}  // namespace gapless::alltoall

#include "alltoall/schedule.hpp"

namespace gapless::alltoall {

Counts count(const Schedule& schedule) {
  Counts counts;
  counts.slots = schedule.slots;
  for (const Step& step : schedule.steps) {
    counts.rounds += step.messages.empty() ? 0 : 1;
    counts.messages += static_cast<std::int64_t>(step.messages.size());
    for (const Message& message : step.messages) counts.blocks_sent += static_cast<std::int64_t>(message.blocks.size());
    for (const std::vector<Move>& copies : {step.copies, step.meanwhile})
      for (const Move& copy : copies) counts.blocks_copied += copy.element != 0 ? 1 : 0;
  }
  return counts;
}

}  // namespace gapless::alltoall

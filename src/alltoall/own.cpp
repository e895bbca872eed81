#include <algorithm>

#include "alltoall/bruck.hpp"

namespace gapless::alltoall {

void copy_own(Schedule& schedule) {
  const Move own{0, {Buffer::kSend, 0}, {Buffer::kReceive, 0}};
  const auto uses_its_place = [&](const Message& message) {
    return std::any_of(message.blocks.begin(), message.blocks.end(),
                       [&](const Move& block) { return block.from == own.to || block.to == own.to; });
  };
  if (schedule.steps.empty() ||
      std::any_of(schedule.steps.back().messages.begin(), schedule.steps.back().messages.end(), uses_its_place))
    schedule.steps.emplace_back();
  schedule.steps.back().meanwhile.push_back(own);
}

}  // namespace gapless::alltoall

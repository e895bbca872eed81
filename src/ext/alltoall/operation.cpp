#include "ext/alltoall/operation.hpp"

#include <algorithm>

namespace gapless::ext::regular {

namespace {

// Of the step with most of them.
std::int64_t most_blocks(const alltoall::Schedule& schedule) noexcept {
  std::size_t most = 0;
  for (const alltoall::Step& step : schedule.steps) {
    std::size_t blocks = 0;
    for (const alltoall::Message& message : step.messages) blocks += message.blocks.size();
    most = std::max(most, blocks);
  }
  return static_cast<std::int64_t>(most);
}

}  // namespace

Operation::Operation(const Choice& choice, const PrivateComm& comm, Blocks send, Blocks receive, bool is_in_place,
                     bool is_persistent)
    : choice_(choice),
      comm_(comm),
      send_(std::move(send)),
      receive_(std::move(receive)),
      is_persistent_(is_persistent),
      schedule_(schedule_of(*choice.algorithm, comm_.size, is_in_place)),
      memory_{send_, receive_, nullptr, comm_.rank, comm_.size} {
  memory_bytes_ = schedule_->slots * send_.bytes();
  slots_.reserve(memory_bytes_);
  memory_.slots = slots_.data();
}

char* Operation::staging() {
  if (staging_.data() == nullptr) {
    const std::int64_t bytes = 2 * most_blocks(*schedule_) * send_.bytes();
    staging_.reserve(bytes);
    memory_bytes_ += bytes;
  }
  return staging_.data();
}

}  // namespace gapless::ext::regular

#include "ext/alltoall/rounds.hpp"

namespace gapless::ext::regular {

Rounds::Rounds(std::unique_ptr<Operation> operation, int tag) : operation_(std::move(operation)) {
  for (const alltoall::Step& part : operation_->schedule().steps)
    steps_.push_back(std::make_unique<Step>(*operation_, part, tag));
}

int Rounds::bind() {
  for (const auto& step : steps_)
    if (const int code = step->bind(); code != MPI_SUCCESS) return code;
  return MPI_SUCCESS;
}

int Rounds::wait() noexcept {
  int first = MPI_SUCCESS;
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    if (k > 0) note(first, steps_[k]->begin());
    note(first, steps_[k]->end());
  }
  return first;
}

bool Rounds::try_end(int& first) noexcept {
  if (steps_.empty()) return true;
  if (!steps_.front()->try_end(first)) return false;
  for (std::size_t k = 1; k < steps_.size(); ++k) {
    note(first, steps_[k]->begin());
    note(first, steps_[k]->end());
  }
  return true;
}

int run_once(Operation& operation) {
  int first = MPI_SUCCESS;
  for (const alltoall::Step& part : operation.schedule().steps) {
    Step step(operation, part, kCallTag);
    note(first, step.bind());
    note(first, step.begin());
    note(first, step.end());
  }
  return first;
}

}  // namespace gapless::ext::regular

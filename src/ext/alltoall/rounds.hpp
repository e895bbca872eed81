// An operation with its steps bound: it can be run again and again, without a type to be made.
#pragma once

#include <memory>
#include <vector>

#include "ext/alltoall/steps.hpp"

namespace gapless::ext::regular {

class Rounds {
 public:
  Rounds(std::unique_ptr<Operation> operation, int tag);
  // To be called once, first. MPI_SUCCESS or a code.
  int bind();
  // Of slots, and, once bound, of staging.
  std::int64_t memory_bytes() const noexcept { return operation_->memory_bytes(); }
  // The first step begins in start(), and the rest is done in wait(), which follows in any case. Both return
  // MPI_SUCCESS or the code of the first error.
  int start(Receives receives) noexcept { return steps_.empty() ? MPI_SUCCESS : steps_.front()->begin(receives); }
  int wait() noexcept;
  // In place of wait(): false, where it would have to wait for the first step's messages. After start(kInBegin).
  bool try_end(int& first) noexcept;

 private:
  std::unique_ptr<Operation> operation_;
  std::vector<std::unique_ptr<Step>> steps_;
};

// All steps once, with nothing bound before.
int run_once(Operation& operation);

}  // namespace gapless::ext::regular

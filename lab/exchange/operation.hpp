// What is timed: one round trip of a ping-pong or one call of a collective, sent by one of the methods.
#pragma once

#include "job.hpp"
#include "memory.hpp"
#include "message.hpp"

#include <functional>
#include <memory>

namespace gapless::lab::exchange {

class Operation {
 public:
  virtual ~Operation() = default;
  // Makes the MPI calls of the method, and before each send of a ping-pong what the sender does there, and nothing
  // else.
  virtual void run(const std::function<void()>& before_send) = 0;
};

// `memory` and `message` must outlive it.
std::unique_ptr<Operation> make_operation(const GroupSpec& group, MethodKind method, const Message& message,
                                          Memory& memory, Place place);

}  // namespace gapless::lab::exchange

// What the layer knows of a program's datatypes: from the handle to the plan.
//
// A handle is registered when its commit succeeds, and forgotten by an attribute's delete callback, which the library
// calls at the last reference and before it gives the handle to another type. Interception of MPI_Type_free could not
// do that: types are freed inside other procedures and under other names. So a handle that is found here is committed
// and alive, and one that is not is the library's own affair: no call is ever made on a handle that was not found.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "mpi/abi.hpp"
#include "plan/plan.hpp"

namespace gapless::mpi {

// Facts of one registered type, decoded and compiled at its first use. Shared between threads.
class Datatype {
 public:
  explicit Datatype(MPI_Datatype handle) : handle_(handle) {}
  // The plan, or nullptr if the type cannot be decoded. Makes MPI calls at the first use; the type must be alive.
  const plan::Plan* plan() noexcept {
    const State state = state_.load(std::memory_order_acquire);
    return state == State::kKnown ? plan_.get() : decode_now();
  }

 private:
  enum class State : int { kUnknown, kBeingSet, kKnown };
  const plan::Plan* decode_now() noexcept;
  MPI_Datatype handle_;
  std::atomic<State> state_{State::kUnknown};
  plan::PlanPtr plan_;
};

using DatatypePtr = std::shared_ptr<Datatype>;

// To be called after a commit has succeeded. Failure (no memory, no attribute) leaves the type to the library.
void register_type(MPI_Datatype type) noexcept;
bool is_registered(MPI_Datatype type) noexcept;

// The registered type with this handle, or nullptr. No lock and no allocation for one that this thread used lately. The
// result keeps the plan alive although another thread may free the type meanwhile.
DatatypePtr find_type(MPI_Datatype type) noexcept;

// The library came up, or is about to go down and has gone down: handles do not outlive the last finalisation.
void epoch_began() noexcept;
void epoch_ending() noexcept;
bool epoch_ended() noexcept;  // whether it was the last one

}  // namespace gapless::mpi

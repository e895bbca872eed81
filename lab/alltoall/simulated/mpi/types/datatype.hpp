// In place of src/mpi/types/datatype.hpp: of the simulated programs' types, integers and bytes, nothing is to be
// decoded.
#pragma once

#include <mpi.h>

#include <memory>

#include "plan/plan.hpp"

namespace gapless::mpi {

class Datatype {
 public:
  explicit Datatype(plan::PlanPtr plan) : plan_(std::move(plan)) {}
  const plan::Plan* plan() const noexcept { return plan_.get(); }
  const plan::PlanPtr& shared_plan() const noexcept { return plan_; }

 private:
  plan::PlanPtr plan_;
};
using DatatypePtr = std::shared_ptr<const Datatype>;

inline bool is_contiguous_builtin(MPI_Datatype type) noexcept {
  return type == MPI_INT || type == MPI_BYTE;
}
DatatypePtr find_type(MPI_Datatype type) noexcept;

// There are no sessions.
inline bool is_last_epoch() noexcept {
  return true;
}

}  // namespace gapless::mpi

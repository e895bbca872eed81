// Which algorithm runs, the same on all processes.
#pragma once

#include "alltoall/irregular_model.hpp"
#include "ext/alltoallv/blocks.hpp"
#include "ext/private_comm.hpp"

namespace gapless::ext::irregular {

// The sizes of all blocks but those that processes have for themselves.
struct Extremes {
  std::int64_t smallest = 0, largest = 0;
};
Extremes extremes_of(const Blocks& blocks, int rank) noexcept;

// One reduction of two numbers over all processes. `is_wrong`: this process cannot take part; then all return
// MPI_ERR_OTHER. Otherwise MPI_SUCCESS and the extremes of all, or the library's code.
int reduce(const PrivateComm& comm, bool is_wrong, Extremes& extremes);

}  // namespace gapless::ext::irregular

// MPI_Comm_free, MPI_Comm_disconnect: while they run, nothing new is kept of the communicator.
#include "preload/policy/members.hpp"
#include "preload/stats/counters.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

int free_comm(Procedure procedure, int (*native)(MPI_Comm*), MPI_Comm* comm) noexcept {
  if (counting()) count_call(procedure);
  if (comm == nullptr || *comm == MPI_COMM_NULL) return native(comm);
  const DyingCommunicator dying(*comm);
  return native(comm);
}

}  // namespace

int wrap_Comm_free(MPI_Comm* comm) {
  return free_comm(Procedure::kComm_free, mpi::library.Comm_free, comm);
}

int wrap_Comm_disconnect(MPI_Comm* comm) {
  return free_comm(Procedure::kComm_disconnect, mpi::library.Comm_disconnect, comm);
}

}  // namespace gapless::preload

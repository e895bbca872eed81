// What the library thinks of arguments, asked in a call that no other process takes part in.
#pragma once

#include <mutex>

#include "base/immortal.hpp"
#include "mpi/abi/library.hpp"

namespace gapless::preload {

// Of MPI_COMM_SELF, which two threads may not do at a time.
struct Splitting {
  std::mutex one_at_a_time;
};

// True if call(comm) is an error. On a communicator of this process alone whose errors return, so that the program's
// error handlers are not called. (Not a duplicate, for which the program's attributes would be copied.)
template <class Call>
bool is_error(Call&& call) noexcept {
  const std::lock_guard lock(base::immortal<Splitting>().one_at_a_time);
  MPI_Comm own;
  if (mpi::library.Comm_split(MPI_COMM_SELF, 0, 0, &own) != MPI_SUCCESS) return false;
  mpi::library.Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  const bool refused = call(own) != MPI_SUCCESS;
  mpi::library.Comm_free(&own);
  return refused;
}

// True if the library refuses a type: one that is not committed. Asked each time, for types that were not seen
// committed.
bool refuses_type(MPI_Datatype type) noexcept;

}  // namespace gapless::preload
